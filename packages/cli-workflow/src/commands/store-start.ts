import {
  assembleWorkflow,
  type ResolvedWorkflow,
  resolveWorkflow,
  storeWorkflow,
} from "@uncaged/workflow-engine";
import { type CasRef, type Fault, LIMITS, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attemptAsync, ensureTypes, putStart, type Storage } from "@uncaged/workflow-store";
import type { CommandContext } from "../line/index.js";
import { readGivenText, type TextKind } from "./given-text.js";

const promptOf = (command: string): TextKind => ({
  name: "the prompt",
  limit: LIMITS.prompt,
  missing: "the task is missing: give -p <prompt> or --prompt-file <path>",
  both: "give --prompt or --prompt-file, not both",
  usage: `see \`uwf help ${command}\``,
});

type StoredStart = {
  readonly storage: Storage;
  readonly workflow: CasRef;
  readonly head: CasRef;
  /** The workflow's file; `null`: it was stored before. */
  readonly file: string | null;
};

/** The StartNode of a new thread, with its workflow; no thread yet. */
export async function storeStart(
  context: CommandContext,
  request: {
    readonly workflow: string;
    readonly prompt: string | null;
    readonly promptFile: string | null;
  },
  command: string,
  mayStart: (storage: Storage, workflow: ResolvedWorkflow) => Promise<Result<void, Fault>>,
  parent: ThreadId | null = null,
): Promise<Result<StoredStart, Fault>> {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const prompt = readGivenText(
    context.host,
    { text: request.prompt, file: request.promptFile },
    promptOf(command),
  );
  if (!prompt.ok) return prompt;
  const resolver = { storage, cwd: context.host.cwd, warn: context.warn };
  const resolved = await resolveWorkflow(resolver, request.workflow, parent);
  if (!resolved.ok) return resolved;
  const allowed = await mayStart(storage, resolved.value);
  if (!allowed.ok) return allowed;
  const stored = await ensureStored(storage, resolved.value);
  if (!stored.ok) return stored;
  const { workflow, file } = stored.value;
  const head = await attemptAsync(async () => {
    return storage.cas.together(async (cas) => {
      await ensureTypes(cas);
      return putStart(cas, { workflow, prompt: prompt.value });
    });
  });
  return head.ok ? ok({ storage, workflow, head: head.value, file }) : head;
}

async function ensureStored(
  storage: Storage,
  resolved: ResolvedWorkflow,
): Promise<Result<Pick<StoredStart, "workflow" | "file">, Fault>> {
  if (resolved.kind === "stored") return ok({ workflow: resolved.hash, file: null });
  const { authored, file } = resolved.checked;
  const workflow = await storeWorkflow(storage, assembleWorkflow(authored));
  return workflow.ok ? ok({ workflow: workflow.value, file }) : workflow;
}
