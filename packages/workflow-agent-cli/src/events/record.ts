import type { JsonRecord, Tokens } from "./types.js";

// Gate: members of what a CLI printed become typed here. Unknown members are ignored, versions only add.

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object in a line, or `null`: a warning, a banner, a line that was cut. */
export function recordIn(line: string): JsonRecord | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The member as an object; an empty one where it is none. */
export function inner(record: JsonRecord, name: string): JsonRecord {
  const value = record[name];
  return isRecord(value) ? value : {};
}

export function list(record: JsonRecord, name: string): readonly JsonRecord[] {
  const value = record[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
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
    .map((part) => (isRecord(part) ? (text(part, "text") ?? asText(part)) : asText(part)))
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
