import {
  type CommandContext,
  type CommandResult,
  counted,
  document,
  lines,
  nextCommand,
} from "@uncaged/cli-workflow/add-on";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { Remote, RemoteThread } from "../types.js";
import { withRemote } from "../work/index.js";
import type { Run } from "./read.js";

// The commands that change a thread, with --remote.

function endedThere({ thread, ended }: Pick<RemoteThread, "thread" | "ended">): Fault {
  return fault("THREAD_ENDED", { thread, reason: ended ?? "end", remote: true });
}

/** Ends a thread of the remote. A step that runs is stopped by its worker, and could be pushed no more. */
export async function killOnRemote(
  { host }: CommandContext,
  { thread: text }: { readonly thread: string },
): CommandResult {
  const killed = await withRemote(host, async (remote) => {
    const there = await remote.find(text);
    if (!there.ok) return there;
    const { thread } = there.value;
    const children = await activeBelow(remote, thread);
    if (!children.ok) return children;
    const done = await remote.kill(thread);
    if (!done.ok) return done;
    if (done.value) return ok({ thread, children: children.value });
    return err(endedThere(there.value));
  });
  if (!killed.ok) return killed;
  const { thread, children } = killed.value;
  return document({ thread, archived: true, children }, (screen) =>
    lines(screen, [`killed thread ${thread}${withThose(children)}`]),
  );
}

/** The threads below one that a command goes down to. */
async function activeBelow(remote: Remote, thread: string): Promise<Result<readonly string[], Fault>> {
  const family = await remote.family(thread);
  if (!family.ok) return family;
  return ok(family.value.below.flatMap((each) => (each.ended === null ? [each.thread] : [])));
}

function withThose(children: readonly string[]): string {
  return children.length === 0 ? "" : `, and ${counted(children.length, "thread")} below it`;
}

/** No further step of the thread begins; one that runs is pushed and counts. */
export async function pauseOnRemote(
  { host }: CommandContext,
  { thread: text, message: why }: { readonly thread: string; readonly message: string | null },
): CommandResult {
  const paused = await withRemote(host, async (remote) => {
    const there = await remote.find(text);
    if (!there.ok) return there;
    const { thread, leasedBy, held } = there.value;
    const done = await remote.pause(thread, why);
    if (!done.ok) return done;
    if (!done.value) return err(endedThere(there.value));
    const children = await activeBelow(remote, thread);
    if (!children.ok) return children;
    return ok({ thread, runs: leasedBy !== null && held === null, children: children.value });
  });
  if (!paused.ok) return paused;
  const { thread, runs, children } = paused.value;
  return document({ thread, paused: true, children, running: null }, (screen) => {
    const run = runs ? ": the step that a worker has begun finishes and counts" : "";
    return (
      lines(screen, [`thread ${thread} is paused${withThose(children)}${run}`]) +
      nextCommand(screen, `uwf thread resume ${thread} --remote`)
    );
  });
}

type ResumeRequest = { readonly thread: string | null; readonly failed: boolean };

export async function resumeOnRemote(
  context: CommandContext,
  request: ResumeRequest,
  run: Run,
): CommandResult {
  const { thread, failed } = request;
  // It says what is wrong with a line that names both, or neither.
  if ((thread === null) !== failed) return run(context, request);
  return thread === null ? resumeFailed(context) : resumeThread(context, thread);
}

/** Lets all threads go on that were put aside as failed, whatever for; a thread here that failed is stepped again instead. */
async function resumeFailed({ host }: CommandContext): CommandResult {
  const resumed = await withRemote(host, (remote) => remote.resumeFailed());
  if (!resumed.ok) return resumed;
  const threads = resumed.value.map(({ thread, was: { role, code, question } }) => ({
    ...{ thread, role, code, why: question },
  }));
  return document({ resumed: threads }, (screen) =>
    lines(screen, [
      ...threads.map(
        ({ thread, code, why }) => `thread ${thread} goes on; it was put aside: ${why ?? code ?? ""}`,
      ),
      threads.length === 0
        ? "no thread of the remote was put aside"
        : `${counted(threads.length, "thread")} resumed`,
    ]),
  );
}

/** Lets a thread go on that was put aside after a failure, or is held. */
async function resumeThread({ host }: CommandContext, text: string): CommandResult {
  const resumed = await withRemote(host, async (remote) => {
    const there = await remote.find(text);
    if (!there.ok) return there;
    const { thread, ended } = there.value;
    if (ended !== null) return err(endedThere(there.value));
    const done = await remote.resume(thread);
    if (!done.ok) return done;
    const children = await activeBelow(remote, thread);
    if (!children.ok) return children;
    return ok({ thread, paused: false, children: children.value, running: null, was: done.value });
  });
  if (!resumed.ok) return resumed;
  const { was, ...output } = resumed.value;
  return document(output, (screen) =>
    lines(screen, [`thread ${output.thread} ${was ? "goes on" : "was not held"}`]),
  );
}
