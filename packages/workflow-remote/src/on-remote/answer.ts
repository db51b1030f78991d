import {
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  lines,
  nextCommand,
  type Screen,
  userName,
} from "@uncaged/cli-workflow/add-on";
import { ENV, err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { placeThread, type Storage } from "@uncaged/workflow-store";
import type { Leased, Remote } from "../types.js";
import { fetchLeased, onRemoteThread, pushHead, withLease, withRemote } from "../work/index.js";
import type { Run } from "./read.js";

type Head = Parameters<typeof placeThread>[1]["head"];

/** What of an answer the remote has to know. */
type AnswerRequest = {
  readonly thread: string;
  readonly show: boolean;
  readonly takeOver: boolean;
  readonly by: string | null;
};

/** `thread answer` for a thread of the remote: fetched, answered here by `answer`, pushed. */
export async function answerOnRemote(
  context: CommandContext,
  request: AnswerRequest,
  answer: Run,
): CommandResult {
  // Showing the question changes nothing, here or on the remote.
  if (request.show) {
    return onRemoteThread(context.host, request.thread, (storage, { thread, held }) =>
      answer(
        { ...context, openStorage: () => ok(storage) },
        { ...request, thread, takeOver: request.takeOver || held?.for === "answer" },
      ),
    );
  }
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  return withRemote(context.host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    const { thread, ended, paused } = there.value;
    if (paused !== null && ended === null)
      return err(fault("THREAD_PAUSED", { thread, why: paused.why, remote: true }));
    return withLease(remote, there.value, context.host.newToken(), (leased) =>
      answerLeased(context, { storage, remote }, leased, { request, answer }),
    );
  });
}

async function answerLeased(
  context: CommandContext,
  ends: { readonly storage: Storage; readonly remote: Remote },
  leased: Leased,
  { request, answer }: { readonly request: AnswerRequest; readonly answer: Run },
): Promise<Result<CommandOutput, Fault>> {
  const thread = leased.thread as ThreadId;
  const taken = await fetchLeased(ends, leased);
  if (!taken.ok) return taken;
  const host = { ...context.host, env: { ...context.host.env, [ENV.leased]: thread } };
  // An agent that asks has said so to the worker that ran it, not to this root.
  const takeOver = request.takeOver || leased.held?.for === "answer";
  const answered = leadingBack(await answer({ ...context, host }, { ...request, thread, takeOver }), thread);
  const head = leased.head as Head;
  const placed = await placeThread(ends.storage, { thread, head, workFolder: null });
  if (!placed.ok) return answered.ok ? placed : answered;
  const { ahead, ended } = placed.value;
  if (ahead === 0 && ended === null) return answered;
  const pushed = await pushHead(
    ends,
    leased,
    { ...placed.value, known: taken.value.known },
    { event: "answered", by: request.by ?? userName(context.host.env) },
  );
  if (!pushed.ok) return pushed;
  if (pushed.value.kind === "moved") return answered;
  const found = pushed.value.head ?? "nothing";
  return err(fault("HEAD_MOVED", { thread, expected: head, found }));
}

/** The next command after an answer is for the remote: the local thread is only a copy. */
function leadingBack(answered: Result<CommandOutput, Fault>, thread: ThreadId): Result<CommandOutput, Fault> {
  if (!answered.ok || answered.value.kind !== "document" || answered.value.human === null) return answered;
  const human = (screen: Screen): string =>
    lines(screen, [`answered thread ${thread} of the remote`]) +
    nextCommand(screen, `uwf thread show ${thread} --remote`);
  return ok({ ...answered.value, human });
}
