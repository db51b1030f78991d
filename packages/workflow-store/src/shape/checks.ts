import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { describe } from "./describe.js";
import { addError } from "./findings.js";
import { below, nameOf } from "./pointer.js";
import type { Findings } from "./types.js";

// Each check gives the value in its type, or `null` after it has said what is wrong.

type Value = JsonValue | undefined;

export function isMap(value: Value): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Value): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** An own entry: a key like `constructor` finds nothing that the text does not have. */
export function entry(map: JsonObject, key: string): Value {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function asMap(findings: Findings, path: string, value: Value): JsonObject | null {
  return isMap(value) ? value : refuse(findings, path, "a map", value, "");
}

export function asList(findings: Findings, path: string, value: Value): readonly JsonValue[] | null {
  return isList(value) ? value : refuse(findings, path, "a list", value, "");
}

export function asText(findings: Findings, path: string, value: Value): string | null {
  if (typeof value === "string") return value;
  const scalar = typeof value === "number" || typeof value === "boolean";
  return refuse(findings, path, "text", value, scalar ? "; quote it" : "");
}

export function asFilledText(findings: Findings, path: string, value: Value): string | null {
  const text = asText(findings, path, value);
  if (text === null || text.trim() !== "") return text;
  addError(findings, path, `${nameOf(path)} must not be empty`);
  return null;
}

/** Items of the wrong type are reported and left out. */
export function asTextList(findings: Findings, path: string, value: Value): readonly string[] | null {
  if (!isList(value)) {
    const help = typeof value === "string" ? "; write it as a list: - …" : "";
    return refuse(findings, path, "a list of texts", value, help);
  }
  return value.flatMap((item, index) => asText(findings, below(path, index), item) ?? []);
}

export function asBoolean(findings: Findings, path: string, value: Value): boolean | null {
  return typeof value === "boolean" ? value : refuse(findings, path, "true or false", value, "");
}

export function asNumber(
  findings: Findings,
  path: string,
  value: Value,
  expected: string,
  fits: (value: number) => boolean,
): number | null {
  return typeof value === "number" && fits(value) ? value : refuse(findings, path, expected, value, "");
}

function refuse(findings: Findings, path: string, expected: string, value: Value, help: string): null {
  addError(
    findings,
    path,
    `${nameOf(path)} must be ${expected}, found ${describe(value)}${help}`,
    "wrong-type",
  );
  return null;
}
