import type { AgentContext } from "@uncaged/workflow-agent-kit";
import type { Options } from "./options.js";

/** The process around the agent; the binary passes the real one. */
export type Port = {
  readonly cwd: string;
  /** Names the folder of a run that uwf has given no name. */
  readonly newId: () => string;
  /** Lines to our stderr. */
  readonly stderr: (lines: string) => void;
};

/** The step's inputs. */
export type Work = {
  readonly context: AgentContext;
  readonly port: Port;
  readonly options: Options;
  /** Of this run alone: a later one must not take half of a document for its own. Absolute. */
  readonly folder: string;
};
