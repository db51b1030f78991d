import type { StepDeps } from "@uncaged/workflow-engine";
import {
  exitCodeOf,
  type Fault,
  type HistoryReason,
  isWaitFault,
  type LoggedEvent,
  reportOf,
  type StepEvent,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { type EndedThread, findThread, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { escapeControls } from "@uncaged/workflow-util";
import type { Host } from "../io.js";
import {
  factsReader,
  isLate,
  isRecordedStep,
  openRecorder,
  type Progress,
  type Reason,
  reasonOf,
  type StepFacts,
  spentFor,
  UNKNOWN,
  type WatchedDeps,
} from "./facts.js";

/**
 * What `--events` prints, of events that happen in this process as well as of those that another one has logged: both
 * come here, so both give the same lines.
 */
type EventLines = {
  /** The first line: the thread as it is found. */
  readonly started: (state: Pick<EndedThread, "thread" | "head">) => void;
  /** `reason`: why the way leads on from a recorded step. */
  readonly logged: (event: LoggedEvent, reason: Reason) => void;
  /** The end of a thread, unless it has been printed. */
  readonly ended: (state: Pick<EndedThread, "thread" | "head" | "reason">) => void;
  /** That a thread waits, unless that is the last thing that was printed of it; `null`: it does not. */
  readonly held: (wait: Fault | null, thread: ThreadId) => void;
  readonly write: (line: StepEvent, timestamp?: number) => void;
  readonly numberOn: ReturnType<typeof factsReader>["numberOn"];
};

export function openEventLines({ stdout, now }: Pick<Host, "stdout" | "now">, storage: Storage): EventLines {
  const facts = factsReader(storage);
  const last = new Map<ThreadId | null, StepEvent>();
  const write: EventLines["write"] = (line, timestamp = now()) => {
    const { event, ...rest } = line;
    last.set(line.thread, line);
    stdout.write(`${escapeControls(JSON.stringify({ event, timestamp, ...rest }))}\n`);
  };
  return {
    started: ({ thread, head }) => {
      const workflow = workflowOfHead(storage.cas, head);
      write({ event: "started", thread, workflow: workflow.ok ? workflow.value : null, head });
    },
    logged: (logged, reason) => {
      const line = lineFor(logged, facts, reason);
      if (line !== null) write(line, logged.timestamp);
    },
    ended: ({ thread, head, reason }) => {
      if (last.get(thread)?.event !== "ended") write({ event: "ended", thread, head, reason });
    },
    held: (wait, thread) => {
      const line = wait === null ? null : faultEvent(wait, thread);
      if (line !== null && JSON.stringify(line) !== JSON.stringify(last.get(thread))) write(line);
    },
    write,
    numberOn: facts.numberOn,
  };
}

/** The line about an event; `null`: a person's command caused it, or it cannot be read. */
function lineFor(
  { thread, content, event }: LoggedEvent,
  facts: ReturnType<typeof factsReader>,
  reason: Reason,
): StepEvent | null {
  if (thread === null) return null;
  if (isRecordedStep(event)) {
    const step = facts.of(thread, event, reason);
    return step === null ? null : stepEvent(step);
  }
  switch (event.kind) {
    case "agent": {
      const { role, agent, attempt, head } = event;
      if (role === null || agent === null || attempt === null) return null;
      return { event: "agent", thread, step: facts.numberOn(head), role, agent, attempt };
    }
    case "failed":
    case "abandoned":
    case "waiting": {
      const { kind: outcome, head, role, agent, attempt, code, durationMs, usage } = event;
      const hint = event.kind === "waiting" ? null : event.hint;
      const spent = spentFor([usage, event.kind === "waiting" ? null : event.extractUsage]);
      const run = { thread, step: facts.numberOn(head), role, agent, attempt, outcome, code };
      return { event: "run", ...run, message: content, hint, durationMs, ...spent };
    }
    case "stuck": {
      const { head, role, code } = event;
      if (head === null || role === null || code === null) return null;
      return { event: "stuck", thread, head, role, code, message: content };
    }
    case "ended":
    case "killed": {
      const { head } = event;
      const reason: HistoryReason | null = event.kind === "killed" ? "killed" : event.reason;
      return head === null || reason === null ? null : { event: "ended", thread, head, reason };
    }
    case "copied":
    case "started":
    case "forked":
    case "removed":
    case "paused":
    case "resumed":
    case "noted":
    case "limited":
    case "unlocked":
    case "named":
      return null;
  }
}

function stepEvent({ number, values, ...facts }: StepFacts): StepEvent {
  const { thread, role, agent, head, condition, next, durationMs, tokens, costUsd } = facts;
  const seen = Object.fromEntries(values.map(({ path, value }) => [path, value]));
  const what = { thread, step: number, role, agent, head };
  return { event: "step", ...what, condition, values: seen, next, durationMs, tokens, costUsd };
}

/** That a thread waits, or that a command fails. */
function faultEvent(failure: Fault, thread: ThreadId | null): StepEvent {
  const { code, message, hint, retryable } = reportOf(failure);
  if (isWaitFault(failure)) return { event: "held", thread, code, message, hint };
  return { event: "failed", thread, code, message, hint, retryable, exitCode: exitCodeOf(failure) };
}

/** One JSON object a line on stdout, for a program that watches. */
export function openEvents(deps: WatchedDeps): Progress {
  const { host, storage } = deps;
  const recorder = openRecorder(storage);
  const lines = openEventLines(host, storage);
  let known: ThreadId | null = null;
  let step: LoggedEvent | null = null;
  // What follows a step is decided after it has been recorded; its line says both.
  const flush = (reason = UNKNOWN()): void => {
    if (step !== null) lines.logged(step, reason);
    step = null;
  };
  const watched: StepDeps = {
    ...deps,
    watch: {
      logged: (logged) => {
        flush();
        recorder.watch.logged(logged);
        if (isRecordedStep(logged.event) && !isLate(logged.event)) step = logged;
        else lines.logged(logged, UNKNOWN());
      },
      decided: (decision, context) => flush(reasonOf(decision, context)),
      agent: ({ head }) => {
        const place = { thread: known, number: lines.numberOn(head) };
        const output = lineByLine((text) => {
          const { thread, number } = place;
          if (thread !== null) lines.write({ event: "output", thread, step: number, text });
        });
        return { output, end: () => {} };
      },
    },
  };
  const findState = async (text: string) => {
    const found = await findThread(storage, text, host.cwd);
    // The step itself reports what is wrong.
    return found.ok ? found.value : null;
  };
  return {
    open: async (text) => {
      const found = await findState(text);
      if (found === null) return;
      known = found.thread;
      lines.started(found);
    },
    begin: () => watched,
    end: () => {
      flush();
      return recorder.take();
    },
    close: async (last) => {
      if ("fault" in last) {
        // Somebody has killed it meanwhile: that is an event of the thread, and the failure one of the command.
        const state = last.fault.code === "THREAD_ENDED" && known !== null ? await findState(known) : null;
        if (state?.kind === "ended") lines.ended(state);
        lines.write(faultEvent(last.fault, known));
        return;
      }
      const { output, why } = last;
      const { thread, head } = output;
      if (output.done) lines.ended(output);
      else lines.write({ event: "stopped", thread, head, why });
    },
  };
}

/** The follower ends the last line of an agent. */
function lineByLine(write: (line: string) => void): { readonly write: (text: string) => void } {
  let rest = "";
  return {
    write: (text) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) write(line);
    },
  };
}
