import type { CasRef, Fault, SandboxConfig, ThreadId } from "@uncaged/workflow-protocol";
import type { CheckedStep, Claim, OpenHistory, RunDir, Storage } from "@uncaged/workflow-store";
import type { ChildOutcome, Log } from "@uncaged/workflow-util";
import type { Host, Messages } from "../io.js";
import type { Whole } from "./linearise.js";
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

/** The thread while this process holds its lock: everything the stages after `claim` share. */
export type Road = StepDeps & {
  readonly claim: Claim;
  readonly thread: ThreadId;
  readonly chain: OpenHistory;
  readonly whole: Whole;
  readonly log: Log;
  readonly signals: SignalWatch;
};

/** The road of a step that runs an agent, or takes over what one has left. */
export type RunRoad = Road & Configured;

/** The road from where an agent is to be started: in the thread's folder. */
export type PlacedRoad = RunRoad & { readonly folder: string };

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

export type Plan =
  | { readonly kind: "archive"; readonly reason: "end" | "failed" }
  | {
      readonly kind: "run";
      readonly role: string;
      readonly meta: CasRef;
      readonly agent: AgentCommand;
    };

export type RunPlan = Extract<Plan, { readonly kind: "run" }>;

/** A StepNode that passed stage 7, with its output and its detail as they were read there. */
export type VerifiedStep = Pick<CheckedStep, "hash" | "payload" | "timestamp" | "output" | "detail">;

/** `outcome` is `null` for a run whose uwf is gone: how its agent ended nobody saw. */
export type RunEnd = { readonly outcome: ChildOutcome | null; readonly attempt: number };

/** A run whose result passed stage 7. */
export type RunStep = {
  readonly kind: "step";
  readonly step: VerifiedStep;
  readonly run: RunDir;
  readonly how: RunEnd;
};

/** Every run ends in one of these, be it this process's or one taken over. */
export type RunResult = RunStep | { readonly kind: "failed"; readonly fault: Fault };
