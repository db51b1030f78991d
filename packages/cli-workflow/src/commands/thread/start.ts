import { type CasRef, type Fault, LIMITS, type Result, type StartOutput } from "@uncaged/workflow-protocol";
import { attemptAsync, ensureTypes, putStart, type Storage } from "@uncaged/workflow-store";
import { createLogger, newThreadId } from "@uncaged/workflow-util";
import { givenFolder } from "../../folder.js";
import { assembleWorkflow, resolveWorkflow, storeWorkflow } from "../../workflow.js";
import { readGivenText, type TextKind } from "../given-text.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { addWholeThread } from "./add.js";

type StartRequest = {
  readonly workflow: string;
  /** Where its agents work; `null`: here. */
  readonly cwd: string | null;
  readonly prompt: string | null;
  readonly promptFile: string | null;
};

const PROMPT: TextKind = {
  name: "the prompt",
  limit: LIMITS.prompt,
  missing: "the task is missing: give -p <prompt> or --prompt-file <path>",
  both: "give --prompt or --prompt-file, not both",
  usage: "see `uwf help thread start`",
};

export async function threadStart(context: CommandContext, request: StartRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const folder = givenFolder(context.host.cwd, request.cwd);
  if (!folder.ok) return folder;
  const prompt = readGivenText(context.host, { text: request.prompt, file: request.promptFile }, PROMPT);
  if (!prompt.ok) return prompt;
  const workflow = await ensureStored(context, storage.value, request.workflow);
  if (!workflow.ok) return workflow;
  const head = await attemptAsync(async () => {
    return storage.value.cas.together(async (cas) => {
      await ensureTypes(cas);
      return putStart(cas, { workflow: workflow.value, prompt: prompt.value });
    });
  });
  if (!head.ok) return head;
  const thread = await newThreadId(context.host.now());
  const place = { head: head.value, from: head.value, folder: folder.value ?? context.host.cwd };
  const added = await addWholeThread(storage.value, thread, place);
  if (!added.ok) return added;
  const log = createLogger({ dir: storage.value.paths.logs, now: context.host.now, thread });
  log("V3HQ8WD5", "the thread was started", { event: "started", workflow: workflow.value, head: head.value });
  return document({ workflow: workflow.value, thread } satisfies StartOutput);
}

async function ensureStored(
  context: CommandContext,
  storage: Storage,
  text: string,
): Promise<Result<CasRef, Fault>> {
  const resolved = await resolveWorkflow({ storage, cwd: context.host.cwd, warn: context.warn }, text);
  if (!resolved.ok) return resolved;
  if (resolved.value.kind === "stored") return { ok: true, value: resolved.value.hash };
  return storeWorkflow(storage, assembleWorkflow(resolved.value.checked.authored));
}
