import type { RunReport, Usage } from "@uncaged/workflow-protocol";
import type { RunDir } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { addUsage } from "../usage/index.js";
import { writeReport } from "./files.js";

/** What is known of a run's session. */
type Used = Pick<RunReport, "sessionId" | "cwd" | "model" | "usage">;

const UNKNOWN: Used = { sessionId: null, cwd: null, model: null, usage: null };

/**
 * Keeps what is known of a run's session for uwf's log, on the disk as soon as it is known: an agent may be killed, or
 * throw, before it returns.
 */
export type Meter = {
  /** What the call under way has used so far; of its session what is not told anew stays. */
  readonly tell: (used: Used) => void;
  /** What all calls up to here have used; the next call counts from nothing. */
  readonly settle: (used: Used) => void;
  /** What was told is of a session that is gone; the next one begins. `usage`: what that has cost, if anything. */
  readonly restart: (usage: Used["usage"]) => void;
  /** The run has failed: what its session is said to have used in the end, and its raw reply. */
  readonly fail: (used: Used, raw: RunReport["raw"], extractUsage: Usage | null) => void;
};

/** `here`: this process's folder, in which a session lives of which no other is told. */
export function meterOf(run: RunDir | null, redactor: Redactor, here: string): Meter {
  let settled: Used | null = null;
  let told: Used | null = null;
  let written = "";
  const write = (used: Used, raw: RunReport["raw"], extractUsage: Usage | null): void => {
    const cwd = used.sessionId === null ? null : (used.cwd ?? here);
    const report: RunReport = { ...used, cwd, extractUsage, raw, fault: null };
    const text = JSON.stringify(report);
    if (text === written) return;
    written = text;
    writeReport(run, redactor.value(report));
  };
  return {
    tell: (used) => {
      told = { ...latest(told ?? UNKNOWN, used), usage: used.usage };
      write(together(settled, told), null, null);
    },
    settle: (used) => {
      settled = { ...latest(UNKNOWN, used), usage: used.usage };
      told = null;
    },
    restart: (usage) => {
      settled = usage === null ? null : { ...UNKNOWN, usage };
      told = null;
    },
    fail: (used, raw, extractUsage) => {
      const known = together(settled, told);
      write({ ...latest(known, used), usage: used.usage ?? known.usage }, raw, extractUsage);
    },
  };
}

function together(settled: Used | null, told: Used | null): Used {
  if (settled === null || told === null) return settled ?? told ?? UNKNOWN;
  return { ...latest(settled, told), usage: addUsage(settled.usage, told.usage) };
}

function latest(one: Used, next: Used): Omit<Used, "usage"> {
  return {
    sessionId: next.sessionId ?? one.sessionId,
    cwd: next.cwd ?? one.cwd,
    model: next.model ?? one.model,
  };
}
