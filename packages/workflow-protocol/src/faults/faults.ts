import type { CasFault } from "@uncaged/json-cas";
import type { HeldThread, HoldRecord, WaitingRecord } from "../held.js";
import type { ExitCode } from "./exits.js";
import { hintWithThread, lastAttempt, reasonOf } from "./reason.js";
import { FAULTS } from "./table.js";
import type { Fault, FaultCode, FaultOf, FaultReport, FaultSpec, Whose } from "./types.js";

export function fault<Code extends FaultCode>(
  code: Code,
  fields: Omit<FaultOf<Code>, "code">,
): FaultOf<Code> {
  return { code, ...fields } as FaultOf<Code>;
}

/** A fault of json-cas as one of uwf's: codes and fields are the same. */
export function fromCasFault(casFault: CasFault): Fault {
  return casFault;
}

export function exitCodeOf(failure: Fault): ExitCode {
  const { exit } = specOf(failure);
  return typeof exit === "number" ? exit : exit.of(failure);
}

/** Every exit code that failures with this code can have. */
export function exitCodesOf(code: FaultCode): readonly ExitCode[] {
  const { exit } = FAULTS[code];
  return typeof exit === "number" ? [exit] : exit.among;
}

export function messageOf(failure: Fault): string {
  return `${specOf(failure).message(failure)}${lastAttempt(failure)}`;
}

export function hintOf(failure: Fault): string {
  return hintWithThread(failure, specOf(failure).hint(failure));
}

export function isRetryable(failure: Fault): boolean {
  const { retryable } = specOf(failure);
  return typeof retryable === "function" ? retryable(failure) : retryable;
}

export function whoseIs(failure: Fault): Whose {
  const { whose } = specOf(failure);
  return typeof whose === "function" ? whose(failure, usually) : whose;
}

function usually(code: string): Whose {
  const { whose } = Object.hasOwn(FAULTS, code) ? FAULTS[code as FaultCode] : FAULTS.BUG;
  // What is decided by fields that are not known.
  return typeof whose === "function" ? "machine" : whose;
}

type RoutingFault = Extract<
  Fault,
  { readonly role: string; readonly head: string | null; readonly recorded: string | null }
>;

/** Whether no decision leads on: a fact about the thread, which no retry changes. */
export function isRoutingFault(failure: Fault): failure is RoutingFault {
  return exitCodeOf(failure) === 5;
}

/** Whether the thread waits: for an answer, for threads, paused, at a limit. No step starts until that changes. */
export function isWaitFault(failure: Fault): boolean {
  return exitCodeOf(failure) === 9 && failure.code !== "RUN_UNFINISHED";
}

/** The machine's form of a fault. */
export function reportOf(failure: Fault): FaultReport {
  const { code, ...fields } = failure;
  const reason = reasonOf(failure);
  const data = reason === null ? fields : { ...fields, reason };
  return { code, message: messageOf(failure), hint: hintOf(failure), retryable: isRetryable(failure), data };
}

/** A fault from its report, as another uwf has printed it; `null`: it is none. */
export function faultIn(report: Readonly<Record<string, unknown>> | null): Fault | null {
  const { code, data } = report ?? {};
  if (typeof code !== "string" || !Object.hasOwn(FAULTS, code)) return null;
  return typeof data === "object" && data !== null ? ({ ...data, code } as Fault) : null;
}

// The table's row for a code takes exactly that code's fields; TypeScript cannot correlate the two through a union.
function specOf(failure: Fault): FaultSpec<Fault> {
  return FAULTS[failure.code] as unknown as FaultSpec<Fault>;
}

/** The fault of a step that starts nothing because the thread waits; `blocker`: where that is another thread's wait. */
export function waitingFault(
  thread: string,
  { for: what, role, question, threads }: WaitingRecord & { readonly role: string },
  blocker: HeldThread | null,
): Fault {
  switch (what) {
    case "answer":
      return fault("WAITING_FOR_ANSWER", { thread, role, question });
    case "threads":
      return fault("WAITING_FOR_THREADS", {
        thread,
        role,
        threads: threads.map((each) => each.thread),
        blocker,
      });
    case "change":
      return fault("WAITING", { thread, role, question });
  }
}

/** The same, or because it has spent what it may. */
export function holdFault(thread: string, hold: HoldRecord, blocker: HeldThread | null): Fault {
  if (hold.for !== "limit") return waitingFault(thread, hold, blocker);
  const { of, limit, max, spent } = hold.limit;
  return fault("LIMIT_REACHED", { thread, of, limit, max, spent });
}
