import { checkSchema, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { asMap, type Findings } from "../shape/index.js";

/** Stands in for a `meta` that was refused, so that the rest of the workflow can be checked. */
const ANY_OBJECT: JsonObject = { type: "object" };

/** `meta`: a valid JSON Schema. Whether it describes an object is asked behind the gate, with the rest of the role. */
export function readMeta(findings: Findings, path: string, value: JsonValue | undefined): JsonObject {
  const meta = asMap(findings, path, value);
  if (meta === null) return ANY_OBJECT;
  const problems = checkSchema(meta);
  for (const { path: inside, message, suggestion } of problems)
    findings.add({
      severity: "error",
      code: "invalid-schema",
      path: `${path}${inside}`,
      offset: null,
      message,
      suggestion,
    });
  return problems.length > 0 ? ANY_OBJECT : meta;
}
