import type { ChildOutcome } from "@uncaged/workflow-util";
import type { Fields, RpcError } from "../wire/index.js";

/** What became of a request of ours. */
export type Answer =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: RpcError }
  /** The agent's process is no more. */
  | { readonly kind: "ended"; readonly outcome: ChildOutcome }
  | { readonly kind: "late"; readonly ms: number };

/** Sends one message of ours. */
export type Send = (message: object) => void;

/** Our requests that are not answered yet, by their ids. */
export type Waiting = Map<number, (answer: Answer) => void>;

export type Limits = {
  /** Until the agent has answered what is no work: initialize, session/new, session/load. */
  readonly startMs: number;
  /** Without a sign of life; `null` is no limit. */
  readonly idleMs: number | null;
  /** After the end of its input, and again after SIGTERM. */
  readonly graceMs: number;
  /** Between session/cancel and SIGTERM. */
  readonly cancelMs: number;
  /** The longest line that is read. */
  readonly lineBytes: number;
};

export type ConnectionSpec = {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly onNotification: (method: string, params: Fields) => void;
  /** The result of the agent's request; `null` for a method that we do not have. */
  readonly onRequest: (method: string, params: Fields) => Fields | null;
  /** A line of the agent's stderr, or one of its stdout that is not of the protocol. */
  readonly onLog: (line: string) => void;
  /** Called for whatever the agent says. */
  readonly heartbeat: () => void;
  /** Whether a tool of the agent is at work, or nothing was asked yet: then silence is no sign of death. */
  readonly busy: () => boolean;
};

export type Connection = {
  readonly request: (method: string, params: Fields, deadlineMs: number | null) => Promise<Answer>;
  readonly notify: (method: string, params: Fields) => void;
  /** Ends its input and then, if it must, the agent; nothing of its group is left. */
  readonly close: () => Promise<ChildOutcome>;
  /** Signals the agent, and kills it where that does not help. */
  readonly kill: (signal: string) => void;
  /** The end of what the agent said beside the protocol. */
  readonly said: () => string;
};
