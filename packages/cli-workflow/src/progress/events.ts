import type { StepDeps } from "@uncaged/workflow-engine";
import type { LoggedEvent, ThreadId } from "@uncaged/workflow-protocol";
import { findThread } from "@uncaged/workflow-store";
import { isLate, isRecordedStep, openRecorder, reasonOf, UNKNOWN } from "./facts.js";
import { faultEvent, openEventLines } from "./lines.js";
import type { Progress, WatchedDeps } from "./types.js";

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
