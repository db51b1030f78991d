import { checkSchema, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { addError, asMap, entry, type Findings, isList, isMap, segmentsOf } from "../shape/index.js";

/** Stands in for a `meta` that was refused, so that the rest of the workflow can be checked. */
const ANY_OBJECT: JsonObject = { type: "object" };

// A union of unions is rare, a circle of references is a mistake; both end here.
const MAX_INDIRECTIONS = 16;

/** `meta`: a JSON Schema whose every value is an object. */
export function readMeta(findings: Findings, path: string, value: JsonValue | undefined): JsonObject {
  const meta = asMap(findings, path, value);
  if (meta === null) return ANY_OBJECT;
  const problems = checkSchema(meta);
  for (const { path: inside, message, suggestion } of problems)
    findings.add({ severity: "error", path: `${path}${inside}`, message, suggestion });
  if (problems.length > 0) return ANY_OBJECT;
  if (describesObject(meta, meta, MAX_INDIRECTIONS)) return meta;
  const wanted = "type: object at its root, or in every branch of a root oneOf or anyOf";
  addError(findings, path, `meta must describe an object: write ${wanted}`);
  return ANY_OBJECT;
}

function describesObject(schema: JsonValue | undefined, root: JsonObject, left: number): boolean {
  if (!isMap(schema) || left === 0) return false;
  if (entry(schema, "type") === "object") return true;
  const reference = entry(schema, "$ref");
  if (typeof reference === "string" && describesObject(target(root, reference), root, left - 1)) return true;
  return ["oneOf", "anyOf"].some((union) => {
    const branches = entry(schema, union);
    return (
      isList(branches) && branches.length > 0 && branches.every((b) => describesObject(b, root, left - 1))
    );
  });
}

/** What a reference into the same schema (`#/$defs/x`) names. */
function target(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: JsonValue | undefined = root;
  for (const segment of segmentsOf(decodeFragment(reference.slice(1)))) {
    if (isMap(at)) at = entry(at, segment);
    else at = isList(at) ? at[Number(segment)] : undefined;
  }
  return at;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
