import type { JsonObject, JsonValue, Store } from "@uncaged/json-cas";
import type {
  AwaitedThread,
  CasRef,
  Fault,
  ModeratorContext,
  RoleDefinition,
  ThreadId,
  Usage,
  WaitingRecord,
  WaitsFor,
  WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { Env } from "./host.js";

// What an author of an agent writes against.

/** Everything available to an agent. What takes time to read or build (`steps`, `prompt`) is made on first access. */
export type AgentContext = ModeratorContext & {
  readonly threadId: ThreadId;
  /** The head this step is built on. */
  readonly head: CasRef;
  readonly role: string;
  readonly roleDefinition: RoleDefinition;
  /** The role's `meta`: the JSON Schema of its structured output. */
  readonly metaSchema: JsonValue;
  readonly workflow: WorkflowPayload;
  readonly store: Store;
  /** Absolute path: uwf's keys, configuration and history, which are nothing for a model's tools. */
  readonly storageRoot: string;
  /** Stores a redacted text as a `content` node; its hash can be used in a `cas_ref` field. */
  readonly putText: (text: string) => Promise<CasRef>;
  /** The part of the prompt that says how the reply has to look. */
  readonly outputFormatInstruction: string;
  /** The complete prompt. */
  readonly prompt: string;
  /** The agent's own words on the command line. */
  readonly args: readonly string[];
  /** The environment with the storage root's `.env`. */
  readonly env: Env;
  /**
   * What a session of this role has used before this step, according to this thread's steps and log; `null` if
   * unknown. For agents that count over a session's complete life.
   */
  readonly sessionUsage: (sessionId: string) => Promise<Usage | null>;
  /** Aborted with the signal's name when the process is asked to end. */
  readonly signal: AbortSignal;
  /**
   * Facts about this call's session so far, all of them each time: kept for uwf's log in case the agent is killed
   * or throws, so that the next run can continue the session. What the reply says about its session takes
   * precedence.
   */
  readonly report: (session: ReportedFacts) => void;
  /** A sign of life, for agents under an idle limit. */
  readonly heartbeat: () => void;
};

export type ToolCallFacts = {
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
  readonly durationMs: number | null;
};

export type TurnFacts = {
  readonly input: string;
  readonly output: string;
  readonly toolCalls: readonly ToolCallFacts[];
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly latencyMs: number | null;
};

/** `words`: what the model has said last, of which its last line is shown. */
type ReportedFacts = Pick<Partial<SessionFacts>, "sessionId" | "cwd" | "model" | "usage"> & {
  readonly words?: string;
};

/** What is known of the agent's session; unknown is `null`, never 0. */
export type SessionFacts = {
  readonly sessionId: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly turns: readonly TurnFacts[];
  readonly usage: Usage | null;
};

type WithSession<Reply> = Reply | (Reply & { readonly session: Partial<SessionFacts> | null });

/**
 * A reply in words, out of which the structured output is read. `raw`: all that was said, where `text` leaves something
 * out; it is kept beside the step. `isExact`: `false` where U+FFFD in the text may replace bytes that were not UTF-8; such a
 * reply is asked for again.
 */
export type TextReply = WithSession<{
  readonly kind: "text";
  readonly text: string;
  readonly raw?: string;
  readonly isExact?: boolean;
}>;

/** What follows when an output does not fit the role's meta. */
export type Misfit = {
  /** What a model reads the output out of, if one is configured for extract; `null`: none is asked. */
  readonly text: string | null;
  readonly hint: string;
  /** Fields that the program knows: whatever the model reads there, these are in the output. */
  readonly known?: JsonObject;
};

/**
 * A deterministic program's result: validated as it is. `detail`: a stored node that says what happened inside the step, in
 * the place of a session.
 */
export type OutputReply = WithSession<{
  readonly kind: "output";
  readonly value: JsonObject;
  readonly detail?: CasRef;
  readonly misfit?: Misfit;
}>;

/**
 * An expected failure, with its code; any thrown error is reported as AGENT_FAILED. `sessionLost` is for
 * `continue`: there is no session with that id any more, and nothing was done. The kit then calls `run`.
 */
export type FailedReply = WithSession<{
  readonly kind: "failed";
  readonly fault: Fault;
  readonly sessionLost?: boolean;
}>;

/**
 * The agent cannot go on yet: no step is made, nothing has failed. uwf runs it again when an answer is there (`answer`),
 * when one of `threads` has moved (`threads`), at the next step (`change`), and at `until` (epoch ms) in any case.
 */
export type WaitingReply = WithSession<{
  readonly kind: "waiting";
  readonly for: WaitsFor;
  readonly question?: string | null;
  readonly threads?: readonly AwaitedThread[];
  readonly until?: number | null;
}>;

export type AgentReply = TextReply | OutputReply | FailedReply | WaitingReply;

export type AgentDefinition = {
  /** The agent's own name in sessions and messages, `uwf-<name>`; also in its steps if uwf provides no command. */
  readonly name: string;
  readonly run: (context: AgentContext) => AgentReply | Promise<AgentReply>;
  /**
   * Continues a session, for agents that can: it asks for the header again if it was not valid, and on a later
   * visit of the role, in another process, says what has happened since. A session that is gone is `sessionLost`.
   */
  readonly continue?: Continue | null;
  /** What `--version` says after the name. */
  readonly version?: string;
  /** What `--help` prints, instead of the usual words of an agent. */
  readonly help?: string;
  /**
   * Which variables of the storage root's `.env` reach `context.env` and `process.env`: `all`, the usual, or those that
   * the agent's `env` in config.yaml lists; for agents that pass their environment on to commands of others.
   */
  readonly dotEnv?: "all" | "listed";
  /** Variables that its program reads for keys: their values are redacted from all that is stored and printed. */
  readonly keyVariables?: readonly string[];
};

export type Continue = (
  sessionId: string,
  message: string,
  context: AgentContext,
) => AgentReply | Promise<AgentReply>;

/** A definition after the gate. */
export type Agent = {
  readonly name: string;
  readonly version: string | null;
  readonly help: string | null;
  /**
   * Its work was done before this process began (uwf-agent-write): the step has taken since the run's start, and the
   * session cannot be asked for another header.
   */
  readonly outside: boolean;
  readonly dotEnv: "all" | "listed";
  readonly keyVariables: readonly string[];
  readonly run: AgentDefinition["run"];
  readonly continue: Continue | null;
};

/** A reply after the gate. */
export type Reply = { readonly session: SessionFacts } & (
  | {
      readonly kind: "text";
      readonly text: string;
      readonly raw: string;
      /** Whether every character of the text is one that was written. */
      readonly isExact: boolean;
    }
  | {
      readonly kind: "output";
      readonly value: JsonObject;
      readonly detail: CasRef | null;
      readonly misfit: Misfit | null;
    }
  | { readonly kind: "failed"; readonly fault: Fault; readonly sessionLost: boolean }
  | { readonly kind: "waiting"; readonly waiting: WaitingRecord }
);
