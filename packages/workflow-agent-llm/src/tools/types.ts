import type { JsonObject, JsonValue, OpenModel } from "@uncaged/workflow-agent-kit";
import type { Ground } from "../folder.js";

export type Answer = {
  /** Shown to the model. */
  readonly result: string;
  readonly ok: boolean;
};

/** The surroundings and limits of one run's tools. */
export type Workshop = Ground & {
  /** Of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Characters of one result. */
  readonly outputLimit: number;
  /** Time limit of one command, in ms. */
  readonly commandMs: number;
  /** Between SIGTERM and SIGKILL, in ms. */
  readonly graceMs: number;
  /** Reads a node of the store. */
  readonly readNode: (given: JsonValue) => string;
  /** Stores a text; returns its hash. */
  readonly putText: (text: string) => Promise<string>;
  readonly conceal: OpenModel["conceal"];
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly run: (given: JsonObject, shop: Workshop) => Answer | Promise<Answer>;
};
