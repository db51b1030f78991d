import type { CasFault } from "@uncaged/json-cas";
import type { HeldThread, HoldRecord, WaitingRecord } from "../held.js";
import { hintWithThread, lastAttempt, reasonOf } from "./reason.js";
import { FAULTS } from "./table.js";

/** What each exit code means, and whether a retry helps; up to the first `;`, `:` or `,` in two or three words. */
export const EXIT_CODES = {
  0: "success; `done` says whether the thread has ended",
  1: "a bug in uwf",
  2: "usage: bad flag, malformed id",
  3: "not found: thread, workflow, node, file",
  4: "invalid workflow, config or input; an agent that is not found or cannot be started",
  5: "routing failed: condition error, not a boolean, no transition",
  6: "the agent failed; a retry usually helps",
  7: "the store is damaged, or a hash collision",
  8: "the thread has already ended, or was killed in the meantime",
  9: "it waits: for an answer, for other threads, paused, at a limit; nothing was started. Or `thread run` stopped unfinished; it prints the last state",
  10: "the thread has ended as failed (`$FAIL`); its last state is on stdout",
  74: "I/O: disk full, no permission, read-only, a remote that cannot be reached; a retry helps later",
  75: "busy: another process holds the thread, or the head moved; a retry helps",
  129: "interrupted by SIGHUP; a retry helps",
  130: "interrupted by SIGINT; a retry helps",
  143: "interrupted by SIGTERM; a retry helps",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/**
 * Who meets a fault again: the same command anywhere; the thread, at whatever machine; what this storage root has of the thread
 * (`copy`), as another root may have it whole; the machine (its storage root, programs, keys, disk, network), with whatever
 * thread. `either`: the thread or the machine, which shows when other threads are stepped.
 */
export type Whose = "command" | "thread" | "copy" | "machine" | "either";

/** One row of the fault table. */
export type FaultSpec<Fields> = {
  /** When it is met, for docs/errors.md and `uwf help exit-codes`: a bundle has it nowhere else (scripts/bins/siblings.ts). */
  readonly when: string;
  /** `of`: by what has happened, one of `among`. */
  readonly exit:
    | ExitCode
    | { readonly among: readonly ExitCode[]; readonly of: (fields: Fields) => ExitCode };
  /** Whether the same command can succeed later although nothing was changed. */
  readonly retryable: boolean | ((fields: Fields) => boolean);
  /** `of`: whose a fault with that code usually is. */
  readonly whose: Whose | ((fields: Fields, of: (code: string) => Whose) => Whose);
  readonly message: (fields: Fields) => string;
  readonly hint: (fields: Fields) => string;
};

export type FaultCode = keyof typeof FAULTS;

type FieldsOf<Code extends FaultCode> =
  (typeof FAULTS)[Code] extends FaultSpec<infer Fields> ? Fields : never;

/** Every expected failure: a code and its fields. The sentence, the hint and the exit code follow from them. */
export type Fault = { [Code in FaultCode]: { readonly code: Code } & FieldsOf<Code> }[FaultCode];

export type FaultOf<Code extends FaultCode> = { readonly code: Code } & FieldsOf<Code>;

export type CasFaultOf<Code extends CasFault["code"]> = Extract<CasFault, { readonly code: Code }>;

/** What `--error-format json` prints. */
export type FaultReport = {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly data: Readonly<Record<string, unknown>>;
};

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
