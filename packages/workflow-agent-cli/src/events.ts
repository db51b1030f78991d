import type { SessionFacts, TurnFacts, Why } from "@uncaged/workflow-agent-kit";
import { isObject } from "@uncaged/workflow-agent-kit";

/** One JSON object of a CLI's output, before anything is known about it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** What any CLI's output says, in one vocabulary: an adapter translates, the trace listens. */
export type AgentEvent =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "model"; readonly name: string }
  /**
   * What follows belongs to the model call of this id; `null` begins a new one. Without this event a new one begins with
   * the first word after the result of a tool.
   */
  | { readonly kind: "turn"; readonly id: string | null }
  /** What the model was told besides the results of its tools. */
  | { readonly kind: "input"; readonly text: string }
  /** `delta`: the next piece of what is being said; else something said as a whole. */
  | { readonly kind: "text"; readonly text: string; readonly delta: boolean }
  /** `at`, here and below: epoch ms, `null` when it is not told. */
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly at: number | null;
    }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly result: string;
      readonly durationMs: number | null;
      readonly at: number | null;
    }
  /** A call that was not allowed, whether or not it was told before. */
  | {
      readonly kind: "tool-refused";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
    }
  /** Of this one model call. */
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** Of the whole process, or of the whole session: the adapter says which. */
  | { readonly kind: "usage"; readonly tokens: Tokens }
  /** Tells why, should the run fail; no failure by itself. */
  | { readonly kind: "notice"; readonly text: string }
  /** `why`: where the CLI tells it otherwise than by the words of `reason`. */
  | { readonly kind: "failed"; readonly reason: string; readonly why?: Why }
  /** A failure told before counts no longer: the CLI tries again. */
  | { readonly kind: "recovered" }
  /** The terminal record of a success; `null`: the text is what the last model call said. */
  | { readonly kind: "done"; readonly text: string | null };

/** Cached tokens are counted in `input`, reasoning in `output`; a cost of `null` is not known. */
export type Tokens = { readonly input: number; readonly output: number; readonly costUsd: number | null };

/** Everything one process of a CLI told. */
export type Trace = {
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly turns: readonly TurnFacts[];
  /** As told last for the whole, else the sum over the model calls that told theirs. */
  readonly usage: SessionFacts["usage"];
  readonly text: string;
  /** Whether the terminal record of a success was seen. */
  readonly done: boolean;
  /** Why it failed, in the CLI's own words; `null` when it told no failure. */
  readonly failed: string | null;
  /** What that failure is, where it was told. */
  readonly why: Why | null;
  readonly notice: string | null;
};

// Gate: members of what a CLI printed become typed here. Unknown members are ignored, versions only add.

/** The JSON object in a line, or `null`: a warning, a banner, a line that was cut. */
export function recordIn(line: string): JsonRecord | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The member as an object; an empty one where it is none. */
export function inner(record: JsonRecord, name: string): JsonRecord {
  const value = record[name];
  return isObject(value) ? value : {};
}

export function list(record: JsonRecord, name: string): readonly JsonRecord[] {
  const value = record[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(record: JsonRecord, name: string): string | null {
  const value = record[name];
  return typeof value === "string" ? value : null;
}

/** A number that counts something; what is no such number is not known. */
export function count(record: JsonRecord, name: string): number | null {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as the trace keeps it: words as they are, anything else as JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** What a tool gave back: words, or a list of parts of which the words count. */
export function resultText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  const parts: readonly unknown[] = content;
  return parts
    .map((part) => (isObject(part) ? (text(part, "text") ?? asText(part)) : asText(part)))
    .join("\n");
}

/** Epoch ms of an ISO date; `null` when it is none. */
export function timeOf(record: JsonRecord): number | null {
  const at = Date.parse(text(record, "timestamp") ?? "");
  return Number.isNaN(at) ? null : at;
}

/** `null` where input or output is not told. No cost for many tokens is a model without a price, not a free one. */
export function tokensOf(input: number | null, output: number | null, costUsd: number | null): Tokens | null {
  if (input === null || output === null) return null;
  return { input, output, costUsd: costUsd === 0 && input + output > 0 ? null : costUsd };
}
