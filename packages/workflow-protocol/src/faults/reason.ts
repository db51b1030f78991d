import type { Fault } from "./types.js";

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

/** What an agent tells of why it failed; what it does not know it leaves out. */
export type Why = {
  readonly reason?: FailureReason;
  /** Seconds from now after which the provider takes requests again. */
  readonly retryAfter?: number;
  /** The whole sentence, where the agent itself has one. */
  readonly message?: string;
  /** The command or setting that helps. */
  readonly hint?: string;
  /** `false`: it fails again until somebody changes something. */
  readonly retryable?: boolean;
};

/** A failure as an agent tells it: its own code, and what a person needs. */
export type ReportedFault = {
  readonly code: string;
  readonly reason: FailureReason | null;
  /** Seconds, `null` when not known. */
  readonly retryAfter: number | null;
  readonly retryable: boolean;
  readonly message: string;
  readonly hint: string | null;
};

/** Only a person can mend these: another run fails in the same way. */
const LASTING: ReadonlySet<FailureReason | null> = new Set<FailureReason | null>(["auth", "quota"]);

export function canRetry(why: Why): boolean {
  return why.retryable !== false && !LASTING.has(why.reason ?? null);
}

/** The reason of a run's failure; `null`: it is no failure of a run, or the agent refused before it began. */
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
        ? "step again in a while, or let uwf do it: retries of this agent in config.yaml"
        : `step again in ${retryAfter} s, or let the step wait for it with --wait`;
    case "limit-reached":
      return "raise the agent's limit in its args in config.yaml, or give the role less to do; then step again";
    case "context-overflow":
      return "choose a model that reads more, or give the role less to read; then step again";
    case "refused":
      return "change what the role asks for, or choose another model; `uwf log` keeps the whole outcome";
    case "network":
      return "check the network and the provider's address; then step again";
    default:
      return "the head has not moved; step again to retry, `uwf log` keeps the whole outcome";
  }
}
