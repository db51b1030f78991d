import {
  assembleWorkflow,
  type ResolvedWorkflow,
  resolveWorkflow,
  storeWorkflow,
} from "@uncaged/workflow-engine";
import { type CasRef, type Fault, LIMITS, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attemptAsync, ensureTypes, putNode, type Storage } from "@uncaged/workflow-store";
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

/** The workflow and the task as a person gives them. */
type Given = {
  readonly workflow: string;
  readonly prompt: string | null;
  readonly promptFile: string | null;
};

/** The StartNode of a new thread, with its workflow; no thread yet. */
export async function storeStart(
  context: CommandContext,
  given: Given,
  command: string,
  mayStart: (storage: Storage, workflow: ResolvedWorkflow) => Promise<Result<void, Fault>>,
  parent: ThreadId | null = null,
): Promise<Result<StoredStart, Fault>> {
  const { host, warn } = context;
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const prompt = readGivenText(host, { text: given.prompt, file: given.promptFile }, promptOf(command));
  if (!prompt.ok) return prompt;
  const resolver = { storage, cwd: host.cwd, warn };
  const resolved = await resolveWorkflow(resolver, given.workflow, parent);
  if (!resolved.ok) return resolved;
  const allowed = await mayStart(storage, resolved.value);
  if (!allowed.ok) return allowed;
  const checked = resolved.value.kind === "file" ? resolved.value.checked : null;
  const stored =
    resolved.value.kind === "stored"
      ? ok(resolved.value.hash)
      : await storeWorkflow(storage, assembleWorkflow(resolved.value.checked.authored));
  if (!stored.ok) return stored;
  const workflow = stored.value;
  const head = await attemptAsync(() =>
    storage.cas.together(async (cas) => {
      await ensureTypes(cas);
      return putNode(cas, "startNode", { workflow, prompt: prompt.value });
    }),
  );
  return head.ok ? ok({ storage, workflow, head: head.value, file: checked?.file ?? null }) : head;
}
