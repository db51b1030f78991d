import type { CasNode, JsonObject } from "@uncaged/json-cas";
import type { Decision } from "@uncaged/workflow-moderator";
import type {
  CasRef,
  EventOf,
  Fault,
  HumanPlayer,
  LoggedEvent,
  ModeratorContext,
  ThreadId,
} from "@uncaged/workflow-protocol";
import type { Claim, FoundRun, RunDir, SandboxConfig, StepNode, Storage } from "@uncaged/workflow-store";
import type { ChildOutcome, EventLog } from "@uncaged/workflow-util";
import type { Host, Messages, TextSink } from "../host.js";
import type { Past } from "./linearise.js";
import type { Configured } from "./plan.js";
import type { Payer } from "./spending.js";
import type { SignalWatch } from "./stop.js";

/** A step request as on the command line. */
export type RawStepRequest = {
  readonly thread: string;
  /** Each `--agent`, as typed. */
  readonly agents: readonly string[];
  /** The folder that the thread moves to first; `null`: it stays. */
  readonly cwd: string | null;
  /** The only head to step from, as typed; `null`: any head. */
  readonly expect: string | null;
  readonly waitMs: number;
  /** `null`: as config.yaml says. */
  readonly retries: number | null;
  /** `null`: no role is waited for. */
  readonly until: string | null;
};

/** `--agent <command>` or `--agent <role>=<command>`: as typed, and split into words. */
export type TypedAgent = {
  /** `null`: for every role that has no other. */
  readonly role: string | null;
  readonly text: string;
  readonly words: readonly [string, ...string[]];
};

/** What a person answers in the place of an agent. */
export type GivenAnswer = {
  /** The head at which the question was seen: the answer counts for no other. */
  readonly head: CasRef;
  readonly role: string;
  readonly value: JsonObject;
  /** As it was typed. */
  readonly raw: string;
  readonly via: "field" | "file" | "edit";
  readonly by: string;
  /** Even if no person has been asked. */
  readonly takeOver: boolean;
};

/** A checked request. */
export type StepRequest = {
  readonly thread: string;
  readonly agents: readonly TypedAgent[];
  /** `null`: the role's agent does the step. */
  readonly answer: GivenAnswer | null;
  readonly cwd: string | null;
  /** The only head to step from; `null`: any head. */
  readonly expect: CasRef | null;
  /** How long to wait for a busy thread, in ms; 0: not at all, Infinity: forever. */
  readonly waitMs: number;
  /** Retries after a failed run; `null`: as config.yaml says. */
  readonly retries: number | null;
  /** The role before which the step stops; `null`: none. */
  readonly until: string | null;
};

/** The surroundings of a step. */
export type StepDeps = Messages & {
  readonly host: Host;
  readonly storage: Storage;
  /** `null`: the step has no watcher. */
  readonly watch: StepWatch | null;
};

/** Receives what happens in a step, in order to show it. It decides nothing. */
export type StepWatch = {
  /** Something has happened, and the log has it: a reader of the log gets the same event. */
  readonly logged: (event: LoggedEvent) => void;
  /** The agent of this event, which has been logged, is about to start. */
  readonly agent: (event: EventOf<"agent">, run: RunDir) => WatchedRun;
  /** What follows the step that was recorded last, decided on this context: a reader of the log decides it again from the history. */
  readonly decided: (decision: Decision, context: ModeratorContext) => void;
};

export type WatchedRun = {
  /** Takes what the agent writes to stderr, cleaned; `null`: it is not shown. */
  readonly output: Pick<TextSink, "write"> | null;
  /** Its process has ended. */
  readonly end: () => void;
};

/** The thread, while this process holds its lock. */
export type Claimed = {
  readonly claim: Claim;
  readonly thread: ThreadId;
  /** What happens to the thread: for the log, and for a watcher in this process. */
  readonly log: EventLog;
  readonly signals: SignalWatch;
};

/** Shared by the stages after `linearise`. */
export type StepState = StepDeps & Claimed & Past;

/** The same for a step that runs an agent or takes over a run. */
export type RunState = StepState &
  Configured &
  Pick<StepRequest, "answer"> & {
    /** The threads whose limits a run counts against; empty if none has a limit. */
    readonly payers: readonly Payer[];
    /** Where the thread's agents work; `null`: it has no folder yet. */
    readonly recordedFolder: string | null;
  };

/** The command of one agent run, with its limits. */
export type AgentCommand = {
  /** Program and arguments as configured, before the thread id and the role. */
  readonly program: string;
  /** Given with `--agent`: a relative path counts from the caller's folder, not from the thread's. */
  readonly isTyped: boolean;
  readonly args: readonly string[];
  /** Names of variables passed on; `null` passes all. */
  readonly env: readonly string[] | null;
  readonly timeoutMs: number | null;
  readonly idleMs: number | null;
  /** Retries after a failed run. */
  readonly retries: number;
  /** Whether a role that is visited again resumes its session. */
  readonly resume: boolean;
  /** `null`: none. */
  readonly sandbox: SandboxConfig | null;
};

/** Run an agent as a role, or ask a person. */
export type RunPlan = {
  readonly kind: "run";
  readonly role: string;
  readonly meta: CasRef;
  readonly agent: AgentCommand;
  /** A person plays the role: then `agent` is a name in the log and nothing is started. */
  readonly human: HumanPlayer | null;
};

/** A run that has ended. `outcome` is `null` if its uwf died first: how the agent ended is unknown. */
export type EndedRun = { readonly role: string; readonly attempt: number } & (
  | { readonly outcome: ChildOutcome; readonly run: RunDir }
  | { readonly outcome: null; readonly run: FoundRun }
);

/** A step that was made without a run: by a person, or as the default after the role's timeout. */
export type AnsweredStep = {
  readonly run: null;
  readonly role: string;
  /** Of the StepNode. */
  readonly hash: CasRef;
  readonly by: string;
};

/** A StepNode that passed stage 7, with the output and detail read there. */
export type VerifiedStep = StepNode & { readonly output: CasNode; readonly detail: CasNode };

/** A run whose result passed stage 7. */
export type VerifiedRun = EndedRun & { readonly step: VerifiedStep };

/** An answer that passed it. */
export type VerifiedAnswer = AnsweredStep & { readonly step: VerifiedStep };

/** Why a run gave no step. `abandoned`: its uwf died, which is not a failure of the agent. */
export type NoStep = { readonly kind: "abandoned" } | { readonly kind: "failed"; readonly fault: Fault };
