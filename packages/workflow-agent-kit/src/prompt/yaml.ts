import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { isList, isObject } from "../schema/index.js";

// A small writer of block YAML whose strings are always quoted: what it writes reads back as exactly this value,
// and a model that imitates it quotes `"no"` too.

export function yamlOf(value: JsonObject): string {
  if (Object.keys(value).length === 0) return "{}\n";
  return Object.entries(value)
    .map(([key, member]) => `${yamlKey(key)}:${below(member, "")}\n`)
    .join("");
}

const PLAIN_KEY = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][A-Za-z0-9_-]*$/i;

function yamlKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : quoted(key);
}

/** What follows the colon: a scalar on the line, or a block on the lines below. */
function below(value: JsonValue, indent: string): string {
  const inner = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return " []";
    return value.map((item) => `\n${inner}-${afterDash(item, inner)}`).join("");
  }
  if (!isObject(value)) return ` ${scalar(value)}`;
  const entries = Object.entries(value);
  if (entries.length === 0) return " {}";
  return entries.map(([key, member]) => `\n${inner}${yamlKey(key)}:${below(member, inner)}`).join("");
}

/** A map starts on the dash's own line. */
function afterDash(item: JsonValue, indent: string): string {
  const text = below(item, indent);
  return isObject(item) && text.startsWith("\n") ? ` ${text.trimStart()}` : text;
}

function scalar(value: JsonValue): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

/** A JSON string is a YAML string; what YAML does not let stand bare is escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
