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
  for (const key of unknown) {
    const misspelt = suggest(key, missing);
    // What is missing elsewhere stands here: never a mere warning.
    const severity = misspelt === null ? rules.unknown : "error";
    const suggestion = misspelt ?? suggest(key, known);
    findings.add({ severity, path: below(path, key), message: `unknown key ${quote(key)}`, suggestion });
  }
  for (const key of missing) {
    const owner = path === "" ? "" : ` in ${nameOf(path)}`;
    addError(findings, path, `missing key ${quote(key)}${owner}`);
  }
}
