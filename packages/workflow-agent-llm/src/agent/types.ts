import type {
  JsonObject,
  ModelPlace,
  OpenModel,
  SessionFacts,
  TurnFacts,
  Why,
} from "@uncaged/workflow-agent-kit";
import type { Kind, Options } from "../options/index.js";
import type { Tool, Workshop } from "../tools/index.js";

/** The process around the agent. */
export type Port = ModelPlace & {
  /** Epoch ms. */
  readonly now: () => number;
  /** A new session's id. */
  readonly newId: () => string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
  /** Between SIGTERM and SIGKILL for a command, in ms. */
  readonly graceMs: number;
};

/** One call of `run` or `continue`, with everything that it needs. */
export type Work = {
  readonly kind: Kind;
  readonly model: OpenModel;
  readonly options: Options;
  readonly tools: readonly Tool[];
  readonly shop: Workshop;
  readonly port: Port;
};

/** How a conversation ended. */
export type Ended =
  | { readonly kind: "said"; readonly text: string }
  /** A clause. */
  | { readonly kind: "failed"; readonly reason: string; readonly status: number | null; readonly why: Why };

/** A conversation under way. */
export type Talk = {
  readonly messages: JsonObject[];
  readonly turns: TurnFacts[];
  usage: SessionFacts["usage"];
};
