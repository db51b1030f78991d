import type { CasRef, Fault, SandboxConfig, ThreadId } from "@uncaged/workflow-protocol";
import type { CheckedStep, Claim, FoundRun, RunDir, Storage } from "@uncaged/workflow-store";
import type { ChildOutcome, Log } from "@uncaged/workflow-util";
import type { Host, Messages } from "../io.js";
import type { Past } from "./linearise.js";
import type { Configured } from "./plan.js";
import type { SignalWatch } from "./stop.js";

/** A step as it stands on the command line. */
export type RawStepRequest = {
  readonly thread: string;
  readonly agent: string | null;
  /** The folder to which the thread moves first; `null`: it stays. */
  readonly cwd: string | null;
  readonly waitMs: number;
  /** `null`: as config.yaml says. */
  readonly retries: number | null;
};

/** What a person asked for; `agent` as typed and as words. */
export type StepRequest = {
  readonly thread: string;
  readonly agent: { readonly text: string; readonly words: readonly [string, ...string[]] } | null;
  readonly cwd: string | null;
  /** How long to wait for a busy thread, in ms; 0 gives up at once, Infinity never. */
  readonly waitMs: number;
  /** Further runs after failed ones; `null`: as config.yaml says. */
  readonly retries: number | null;
};

/** What the step runs in. */
export type StepDeps = Messages & {
  readonly host: Host;
  readonly storage: Storage;
};

/** The thread, while this process holds its lock. */
export type Claimed = {
  readonly claim: Claim;
  readonly thread: ThreadId;
  readonly log: Log;
  readonly signals: SignalWatch;
};

/** What the stages after `linearise` share. */
export type StepState = StepDeps & Claimed & Past;

/** The same for a step that runs an agent, or takes over what one has left. */
export type RunState = StepState & Configured;

/** The command of one agent run and its limits, all decided. */
export type AgentCommand = {
  /** Program and arguments as configured, before the thread id and the role. */
  readonly program: string;
  /** Typed with `--agent`: a relative path is one from the caller's folder, and not from the thread's. */
  readonly isTyped: boolean;
  readonly args: readonly string[];
  /** Names of variables passed on; `null` passes all. */
  readonly env: readonly string[] | null;
  readonly timeoutMs: number | null;
  readonly idleMs: number | null;
  /** Further runs after failed ones. */
  readonly retries: number;
  /** Whether a role that is visited again goes on in its agent's session. */
  readonly resume: boolean;
  /** `null`: none. */
  readonly sandbox: SandboxConfig | null;
};

/** An agent is to run in a role. */
export type RunPlan = {
  readonly kind: "run";
  readonly role: string;
  readonly meta: CasRef;
  readonly agent: AgentCommand;
};

/** A run that is over. `outcome` is `null` for one whose uwf died first, so that nobody saw how the agent ended. */
export type EndedRun = { readonly role: string; readonly attempt: number } & (
  | { readonly outcome: ChildOutcome; readonly run: RunDir }
  | { readonly outcome: null; readonly run: FoundRun }
);

/** A StepNode that passed stage 7, with its output and its detail as they were read there. */
export type VerifiedStep = Pick<CheckedStep, "hash" | "payload" | "timestamp" | "output" | "detail">;

/** A run whose result passed stage 7. */
export type VerifiedRun = EndedRun & { readonly step: VerifiedStep };

/** Why a run gave no step. An abandoned one is no failure of the agent: its uwf died. */
export type NoStep = { readonly kind: "abandoned" } | { readonly kind: "failed"; readonly fault: Fault };
