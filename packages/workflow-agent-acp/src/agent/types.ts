import type { AgentDefinition, Continue } from "@uncaged/workflow-agent-kit";

/** The process around the agent. */
export type Port = {
  readonly cwd: string;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
  /** Our version, sent to the agent. */
  readonly version: string;
  readonly times: Times;
};

/** Time limits outside of the agent's work, in ms. */
export type Times = {
  /** For the answer to initialize, session/new, session/load. */
  readonly startMs: number;
  /** After the end of the agent's input, and again after SIGTERM. */
  readonly graceMs: number;
  /** Between session/cancel and SIGTERM. */
  readonly cancelMs: number;
  /** Without an update; then a loaded session has replayed its history. */
  readonly quietMs: number;
};

export type AcpAgent = {
  readonly run: AgentDefinition["run"];
  readonly continue: Continue;
  /** Ends a process that was kept for a correction of the header. */
  readonly close: () => void;
};
