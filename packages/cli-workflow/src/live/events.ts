import { decideAtHead, heldFault, waitFault } from "@uncaged/workflow-engine";
import { decide } from "@uncaged/workflow-moderator";
import { type CasRef, type LoggedEvent, ok, readEvent, type ThreadId } from "@uncaged/workflow-protocol";
import { fullHistory, type LogEntry, openHistory, type Storage } from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import { isLate, isRecordedStep, openEventLines, type Reason, reasonOf, UNKNOWN } from "../progress/index.js";
import type { LivePrinter } from "./printer.js";

/** The lines that `--events` prints in the process that takes the steps. */
export function eventPrinter(host: Host, storage: Storage): LivePrinter {
  const lines = openEventLines(host, storage);
  const tell: LivePrinter["tell"] = async (event) => {
    switch (event.kind) {
      case "following":
        if (event.state !== null) lines.started(event.state);
        return;
      case "held": {
        const { thread, head } = event;
        lines.held(heldFault({ host, storage }, { thread, head }), thread);
        return;
      }
      case "logged": {
        const logged = loggedIn(event.entry);
        if (logged === null) return;
        lines.logged(logged, await reasonAfter(storage, logged));
        const wait = waitIn(logged);
        // At once: a thread that waits for any change is not held, since its agent runs again at the next step.
        if (wait !== null) lines.held(waitFault(storage, wait), wait.thread);
        return;
      }
      case "ended":
        lines.ended(event.state);
        return;
      // The log has the start of an agent and the end of its run.
      case "running":
      case "abandoned":
        return;
    }
  };
  return { tell, show: () => {}, end: () => {} };
}

function loggedIn({ thread, timestamp, content, line }: LogEntry): LoggedEvent | null {
  const event = readEvent(line);
  return event === null ? null : { thread, timestamp, content, event };
}

/** Where an agent has made its thread wait. */
function waitIn({ thread, event }: LoggedEvent): Parameters<typeof waitFault>[1] | null {
  const head = event.kind === "waiting" ? event.head : null;
  return thread === null || head === null ? null : { thread, head };
}

/** Decides again what its own process has decided after a step. */
async function reasonAfter(storage: Storage, { thread, event }: LoggedEvent): Promise<Reason> {
  if (thread === null || !isRecordedStep(event) || isLate(event) || event.step === null) return UNKNOWN();
  const reason = await decideAgain(storage, { thread, head: event.step });
  return reason ?? UNKNOWN();
}

async function decideAgain(
  storage: Storage,
  { thread, head }: { readonly thread: ThreadId; readonly head: CasRef },
): Promise<Reason | null> {
  const chain = openHistory(storage.cas, head);
  if (!chain.ok) return null;
  const history = fullHistory(storage, thread, chain.value, "read");
  const reason = await decideAtHead({ storage, chain: chain.value, history }, async (context) => {
    const decision = await decide(chain.value.workflow.payload, context);
    return decision.ok ? ok(reasonOf(decision.value, context)) : decision;
  });
  return reason.ok ? reason.value : null;
}
