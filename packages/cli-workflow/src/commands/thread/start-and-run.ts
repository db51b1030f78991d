import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { findThread } from "@uncaged/workflow-store";
import { parse, type StepRequest, strangerIn } from "../../step/index.js";
import { assembledOf, resolveWorkflow } from "../../workflow.js";
import { workflowName } from "../known-ids.js";
import type { CommandContext, CommandResult } from "../types.js";
import { type RunRequest, runToEnd } from "./run.js";
import { type StartRequest, startThread } from "./start.js";

type StartAndRun = { readonly start: StartRequest; readonly run: RunRequest };

/**
 * `thread start` and `thread run` in one. The id comes first, on stderr: whatever happens then, the thread can be gone on
 * with. With a key that is known it goes on with the key's thread; of one that has ended it prints the state.
 */
export async function run(context: CommandContext, { start, run: raw }: StartAndRun): CommandResult {
  // Before anything is started.
  const request = parse(raw, context.host);
  if (!request.ok) return request;
  const known = await knowsRoles(context, start.workflow, request.value);
  if (!known.ok) return known;
  const started = await startThread(context, start);
  if (!started.ok) return started;
  const { storage, output } = started.value;
  const { thread, workflow, existing = false } = output;
  if (raw.shown === "usual") {
    const what = existing ? "there is" : "started";
    context.tell(`${what} thread ${thread} of ${workflowName(storage, workflow)}`);
  }
  const found = existing ? await findThread(storage, thread, context.host.cwd) : null;
  if (found?.ok === false) return found;
  const ended = found?.value.kind === "ended" ? found.value : null;
  if (ended?.reason === "killed") return err(fault("THREAD_ENDED", { thread, reason: ended.reason }));
  const last =
    ended === null
      ? null
      : ({ workflow, thread, head: ended.head, done: true, reason: ended.reason } as const);
  const deps = { ...context, storage, watch: null };
  const ran = await runToEnd(context, deps, { ...raw, ...request.value, thread }, last);
  return !ran.ok && ran.error.code === "INTERRUPTED" ? err({ ...ran.error, thread }) : ran;
}

/** A thread that nobody can go on with is not started: the command names only roles that the workflow has. */
async function knowsRoles(
  context: CommandContext,
  named: string,
  request: Pick<StepRequest, "until" | "agents">,
): Promise<Result<void, Fault>> {
  if (request.until === null && request.agents.every(({ role }) => role === null)) return ok(undefined);
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  // The start warns of the same file.
  const resolver = { storage: storage.value, cwd: context.host.cwd, warn: () => {} };
  const resolved = await resolveWorkflow(resolver, named);
  if (!resolved.ok) return resolved;
  const stranger = strangerIn(assembledOf(resolved.value).payload, request);
  return stranger === null ? ok(undefined) : err(stranger);
}
