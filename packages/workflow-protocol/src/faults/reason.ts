import type { Fault } from "./faults.js";

/** What uwf knows about a failed run beyond the failure itself; it is part of `data`. */
export type RunFacts = {
  /** How many runs the step took, by retries. */
  readonly attempts: number;
  /** The end of the agent's stderr. */
  readonly stderr: string;
};

/** The failure of an agent's run, as seen by the uwf that started it; without retries, as far as is known. */
export function ofRun(failure: Fault, stderr: string): Fault & RunFacts {
  return { ...failure, attempts: 1, stderr };
}

/** The failure of the last of several runs. */
export function afterAttempts(failure: Fault, attempts: number): Fault {
  const counted = { ...failure, attempts };
  return "attempts" in failure ? counted : failure;
}

/** The end of the sentence where retries came before; "" otherwise. */
export function lastAttempt(failure: Fault): string {
  const attempts = "attempts" in failure ? failure.attempts : 1;
  return typeof attempts === "number" && attempts > 1 ? `; that was the last of ${attempts} attempts` : "";
}

/** A thread that a failed command has started, or found by its key: repeating the command may start another one. */
type LeftThread = {
  /** As short as it can be typed. */
  readonly thread: string;
  /** Whether --agent was given; its words may hold a key. */
  readonly withAgent: boolean;
};

/** The failure of a command that leaves the thread active. */
export function leavingThread(failure: Fault, left: LeftThread): Fault {
  return Object.assign({ ...failure }, { left });
}

/** The hint of such a failure ends with what can be done with the thread. */
export function hintWithThread(failure: Fault, hint: string): string {
  if (!("left" in failure)) return hint;
  const { thread, withAgent } = failure.left as LeftThread;
  const same = withAgent ? " with the same --agent" : "";
  const words = `thread ${thread} is still active: \`uwf thread run ${thread}\` goes on${same}, \`uwf thread kill ${thread}\` gives it up`;
  return ONLY_GOES_ON.has(failure.code) ? words : `${hint}; ${words}`;
}

/** Their hints say only how to go on. */
const ONLY_GOES_ON: ReadonlySet<Fault["code"]> = new Set(["INTERRUPTED", "RUN_UNFINISHED"]);

/** Why an agent's run gave no step. */
export const FAILURE_REASONS = [
  "auth",
  "quota",
  "rate-limit",
  "limit-reached",
  "context-overflow",
  "refused",
  "network",
  "crashed",
  "timeout",
  "bad-result",
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Why an agent failed, as reported by itself; unknown fields are omitted. */
export type Why = {
  readonly reason?: FailureReason;
  /** Seconds from now after which the provider takes requests again. */
  readonly retryAfter?: number;
  /** The complete sentence, if the agent itself provides one. */
  readonly message?: string;
  /** The command or setting that helps. */
  readonly hint?: string;
  /** `false`: it fails again until the user changes something. */
  readonly retryable?: boolean;
};

/** A failure as reported by an agent: its own code, and what a person needs. */
export type ReportedFault = {
  readonly code: string;
  readonly reason: FailureReason | null;
  /** Seconds, `null` when not known. */
  readonly retryAfter: number | null;
  readonly retryable: boolean;
  readonly message: string;
  readonly hint: string | null;
};

/** The same without what is not known. */
export function toWhy({ reason, retryAfter, retryable, message, hint }: Omit<ReportedFault, "code">): Why {
  return {
    message,
    retryable,
    ...(reason === null ? {} : { reason }),
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(hint === null ? {} : { hint }),
  };
}

/** Only a person can mend these: another run fails in the same way. */
const LASTING: ReadonlySet<FailureReason | null> = new Set<FailureReason | null>(["auth", "quota"]);

export function canRetry(why: Why): boolean {
  return why.retryable !== false && !LASTING.has(why.reason ?? null);
}

/** What the machine has, its account or its network, failed: an agent fails in the same way in every thread. */
const OF_MACHINE: ReadonlySet<FailureReason | null> = new Set<FailureReason | null>([
  "auth",
  "quota",
  "rate-limit",
  "network",
]);

export function isOfMachine(reason: FailureReason | null): boolean {
  return OF_MACHINE.has(reason);
}

/** The reason of a run's failure; `null`: it is not a failure of a run, or the agent refused before it began. */
export function reasonOf(failure: Fault): FailureReason | null {
  switch (failure.code) {
    case "AGENT_FAILED":
      return failure.reason ?? (failure.message === undefined ? "crashed" : null);
    case "AGENT_TIMEOUT":
      return "timeout";
    case "AGENT_BAD_RESULT":
    case "EXTRACT_FAILED":
      return "bad-result";
    case "RATE_LIMITED":
      return "rate-limit";
    case "NO_API_KEY":
      return "auth";
    case "AGENT_REFUSED":
      return failure.refusal.reason;
    default:
      return null;
  }
}

/** What helps against a failure of this kind. */
export function hintFor({ reason, retryAfter }: Why): string {
  switch (reason) {
    case "auth":
      return "log the agent in, or put its API key into the file .env of the storage root; then step again";
    case "quota":
      return "add credit at the provider, or choose another agent with --agent; then step again";
    case "rate-limit":
      return retryAfter === undefined
        ? "step again later, or set retries for this agent in config.yaml"
        : `step again in ${retryAfter} s, or let the step wait for it with --wait`;
    case "limit-reached":
      return "raise the agent's limit in its args in config.yaml, or give the role less to do; then step again";
    case "context-overflow":
      return "choose a model with a larger context, or give the role less to read; then step again";
    case "refused":
      return "change what the role asks for, or choose another model; `uwf log` has the details";
    case "network":
      return "check the network and the provider's address; then step again";
    default:
      return "the head has not moved; step again to retry, `uwf log` has the details";
  }
}
