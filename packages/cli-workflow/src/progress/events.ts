import type { StepDeps } from "@uncaged/workflow-engine";
import { exitCodeOf, type Fault, reportOf, type StepEvent, type ThreadId } from "@uncaged/workflow-protocol";
import { findThread, workflowOfHead } from "@uncaged/workflow-store";
import { escapeControls } from "@uncaged/workflow-util";
import { openRecorder } from "./facts.js";
import type { LastWord, Progress, StepFacts, WatchedDeps } from "./types.js";

/** One JSON object a line on stdout, for a program that watches. */
export function openEvents(deps: WatchedDeps): Progress {
  const { host, storage } = deps;
  const recorder = openRecorder();
  let known: ThreadId | null = null;
  const write = ({ event, ...rest }: StepEvent): void => {
    const line = JSON.stringify({ event, timestamp: host.now(), ...rest });
    host.stdout.write(`${escapeControls(line)}\n`);
  };
  const watched: StepDeps = {
    ...deps,
    watch: {
      ...recorder.watch,
      agent: ({ state, role, agent, attempt }) => {
        const { thread } = state;
        const step = recorder.numberOf(state);
        write({ event: "agent", thread, step, role, agent, attempt });
        const output = lineByLine((text) => write({ event: "output", thread, step, text }));
        return { output, end: () => {} };
      },
    },
  };
  return {
    open: async (text) => {
      const found = await findThread(storage, text, host.cwd);
      // The step itself reports what is wrong.
      if (!found.ok) return;
      const { thread, head } = found.value;
      known = thread;
      const workflow = workflowOfHead(storage.cas, head);
      write({ event: "started", thread, workflow: workflow.ok ? workflow.value : null, head });
    },
    begin: () => watched,
    end: () => {
      const facts = recorder.take();
      if (facts !== null) write(stepEvent(facts));
      return facts;
    },
    close: (last) => write(lastEvent(last, known)),
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

function stepEvent({ number, values, ...facts }: StepFacts): StepEvent {
  const { thread, role, agent, head, condition, next, durationMs, tokens, costUsd } = facts;
  const seen = Object.fromEntries(values.map(({ path, value }) => [path, value]));
  const what = { thread, step: number, role, agent, head };
  return { event: "step", ...what, condition, values: seen, next, durationMs, tokens, costUsd };
}

function lastEvent(last: LastWord, thread: ThreadId | null): StepEvent {
  if ("fault" in last) return faultEvent(last.fault, thread);
  const { output, why } = last;
  const place = { thread: output.thread, head: output.head };
  return output.done
    ? { event: "ended", ...place, reason: output.reason }
    : { event: "stopped", ...place, why };
}

function faultEvent(failure: Fault, thread: ThreadId | null): StepEvent {
  const { code, message, hint, retryable } = reportOf(failure);
  const exitCode = exitCodeOf(failure);
  if (exitCode === 9) return { event: "held", thread, code, message, hint };
  return { event: "failed", thread, code, message, hint, retryable, exitCode };
}
