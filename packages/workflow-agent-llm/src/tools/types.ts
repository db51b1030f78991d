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

export function done(result: string): Answer {
  return { result, ok: true };
}

export function refused(reason: string): Answer {
  return { result: `Error: ${reason}.`, ok: false };
}

/** The arguments of a tool as JSON Schema; type string by default. */
export function parametersOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

// Gate: a model's arguments. Missing ones and other types are `null`.

export function textIn(given: JsonObject, key: string): string | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  return typeof value === "string" ? value : null;
}

/** A whole number of at least `least`; some models send it as text. */
export function countIn(given: JsonObject, key: string, least: number): number | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= least ? number : null;
}

export function isTrue(given: JsonObject, key: string): boolean {
  return Object.hasOwn(given, key) && given[key] === true;
}
