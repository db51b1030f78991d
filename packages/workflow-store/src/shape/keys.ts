import { type JsonObject, suggest } from "@uncaged/json-cas";
import { quote } from "./describe.js";
import { addError } from "./findings.js";
import { below, nameOf } from "./pointer.js";
import type { Findings, KeyRules } from "./types.js";

/** Reports unknown keys, each with the nearest known one or all of them, and missing keys that none of them means. */
export function checkKeys(findings: Findings, path: string, map: JsonObject, rules: KeyRules): void {
  const known = [...rules.required, ...rules.optional];
  const unknown = Object.keys(map).filter((key) => !known.includes(key));
  const missing = new Set(rules.required.filter((key) => !Object.hasOwn(map, key)));
  for (const key of unknown) {
    const misspelt = suggest(key, missing);
    if (misspelt !== null) missing.delete(misspelt);
    // What is missing elsewhere stands here: never a mere warning.
    const severity = misspelt === null ? rules.unknown : "error";
    const suggestion = misspelt ?? suggest(key, known);
    const help = suggestion === null && known.length > 0 ? `; known keys: ${known.join(", ")}` : "";
    const message = `unknown key ${quote(key)}${help}`;
    findings.add({
      severity,
      code: "unknown-key",
      path: below(path, key),
      offset: null,
      message,
      suggestion,
    });
  }
  for (const key of missing) {
    const owner = path === "" ? "" : ` in ${nameOf(path)}`;
    addError(findings, path, `missing key ${quote(key)}${owner}`, "missing-key");
  }
}
