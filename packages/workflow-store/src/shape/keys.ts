import { type JsonObject, suggest } from "@uncaged/json-cas";
import { quote } from "./describe.js";
import { addError } from "./findings.js";
import { below, nameOf } from "./pointer.js";
import type { Findings, KeyRules } from "./types.js";

/** Reports unknown keys, each with the nearest known one, and missing keys. */
export function checkKeys(findings: Findings, path: string, map: JsonObject, rules: KeyRules): void {
  const known = [...rules.required, ...rules.optional];
  const unknown = Object.keys(map).filter((key) => !known.includes(key));
  const missing = rules.required.filter((key) => !Object.hasOwn(map, key));
  // A misspelt key is one mistake: nearest among the missing ones first.
  for (const key of unknown) {
    const suggestion = suggest(key, missing) ?? suggest(key, known);
    const message = `unknown key ${quote(key)}`;
    findings.add({ severity: rules.unknown, path: below(path, key), message, suggestion });
  }
  for (const key of missing) {
    const owner = path === "" ? "" : ` in ${nameOf(path)}`;
    addError(findings, path, `missing key ${quote(key)}${owner}`);
  }
}
