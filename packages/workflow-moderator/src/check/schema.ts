import {
  appliedTo,
  gather,
  type JsonValue,
  keyword,
  propertiesOf,
  requiredOf,
  unionsOf,
} from "@uncaged/json-schema";
import type { AuthoredRole } from "@uncaged/workflow-protocol";

export type Schema = AuthoredRole["meta"];

/** Whether every instance is an object, by `type: object` or in every branch of a oneOf or anyOf. */
export function isObjectSchema(root: Schema): boolean {
  // A schema that is being asked about says no: a reference that comes back to itself adds nothing.
  const known = new Map<JsonValue, boolean>();
  const isObjects = (schema: JsonValue): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, false);
    const { conjuncts } = gather(root, schema);
    const answer =
      conjuncts.some((part) => statedTypes(part).join() === "object") ||
      unionsOf(conjuncts).some((branches) => branches.every(isObjects));
    known.set(schema, answer);
    return answer;
  };
  return isObjects(root);
}

/** Whether every valid instance has the fields along the path; `false` if unknown. */
export function requires(root: Schema, fields: readonly string[]): boolean {
  const known = fields.map(() => new Map<JsonValue, boolean>());
  const has = (schema: JsonValue, at: number): boolean => {
    const field = fields[at];
    if (field === undefined) return true;
    const before = known[at]?.get(schema);
    if (before !== undefined) return before;
    known[at]?.set(schema, false);
    const { conjuncts } = gather(root, schema);
    const answer =
      // A path continues in each item of a list; the list may be empty.
      conjuncts.some(
        (part) => statedTypes(part).includes("array") && has(keyword(part, "items") ?? true, at),
      ) ||
      (requiredOf(conjuncts).includes(field) && has(propertiesOf(conjuncts).get(field) ?? true, at + 1)) ||
      unionsOf(conjuncts).some((branches) => branches.every((branch) => has(branch, at)));
    known[at]?.set(schema, answer);
    return answer;
  };
  return has(root, 0);
}

/** The fields that the schema declares somewhere; an undeclared one gets another message. */
export function declaredFields(root: Schema): readonly string[] {
  return [...propertiesOf(appliedTo(root, root)).keys()];
}

/** What its own `type` lists. */
export function statedTypes(schema: Schema): readonly JsonValue[] {
  return [keyword(schema, "type") ?? []].flat();
}
