import type { RunReport } from "@uncaged/workflow-protocol";
import type { RunDir } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { addUsage } from "../usage/index.js";
import { writeReport } from "./files.js";

/** What a run is known to have used. */
type Used = Pick<RunReport, "sessionId" | "usage">;

/**
 * Keeps what is known of a run's session for uwf's log, on the disk as soon as it is known: an agent may be killed, or
 * throw, before it returns.
 */
export type Meter = {
  /** What the call under way has used so far. */
  readonly tell: (used: Used) => void;
  /** What all calls up to here have used; the next call counts from nothing. */
  readonly settle: (used: Used) => void;
  /** What was told is of a session that is gone; the next one begins. `usage`: what that has cost, if anything. */
  readonly restart: (usage: Used["usage"]) => void;
  /** The run has failed: what its session is said to have used in the end, and its raw reply. */
  readonly fail: (used: Used, raw: RunReport["raw"]) => void;
};

export function meterOf(run: RunDir | null, redactor: Redactor): Meter {
  let settled: Used | null = null;
  let told: Used | null = null;
  let written = "";
  const write = (report: RunReport): void => {
    const text = JSON.stringify(report);
    if (text === written) return;
    written = text;
    writeReport(run, redactor.value(report));
  };
  return {
    tell: ({ sessionId, usage }) => {
      told = { sessionId, usage };
      write({ ...together(settled, told), raw: null, fault: null });
    },
    settle: ({ sessionId, usage }) => {
      settled = { sessionId, usage };
      told = null;
    },
    restart: (usage) => {
      settled = usage === null ? null : { sessionId: null, usage };
      told = null;
    },
    fail: (used, raw) => {
      const known = together(settled, told);
      write({
        sessionId: used.sessionId ?? known.sessionId,
        usage: used.usage ?? known.usage,
        raw,
        fault: null,
      });
    },
  };
}

function together(settled: Used | null, told: Used | null): Used {
  if (settled === null || told === null) return settled ?? told ?? { sessionId: null, usage: null };
  return {
    sessionId: told.sessionId ?? settled.sessionId,
    usage: addUsage(settled.usage, told.usage),
  };
}
