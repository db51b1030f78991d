import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { gather, isList, memberOf } from "../schema/index.js";

const MOST_BRANCHES = 32;
const DEEPEST = 8;

/** Every way to choose among a schema's unions and conditions, each as the parts that then apply; bounded. */
export function branchesOf(root: JsonValue, schema: JsonValue): readonly (readonly JsonObject[])[] {
  const { conjuncts, impossible } = gather(root, schema);
  return impossible ? [] : expand(root, conjuncts, 0);
}

function expand(
  root: JsonValue,
  conjuncts: readonly JsonObject[],
  depth: number,
): readonly (readonly JsonObject[])[] {
  const chosen = conjuncts.find((schema) => choiceKey(schema) !== null);
  if (chosen === undefined || depth > DEEPEST) return [conjuncts];
  const key = choiceKey(chosen) ?? "";
  const { [key]: _choice, ...plain } = chosen;
  const others = conjuncts.filter((schema) => schema !== chosen);
  const branches: (readonly JsonObject[])[] = [];
  for (const choice of choicesOf(chosen, key)) {
    if (branches.length >= MOST_BRANCHES) break;
    const { conjuncts: added, impossible } = gather(root, choice);
    if (!impossible) branches.push(...expand(root, [...others, plain, ...added], depth + 1));
  }
  return branches.slice(0, MOST_BRANCHES);
}

function choiceKey(schema: JsonObject): string | null {
  return ["oneOf", "anyOf", "if"].find((key) => Object.hasOwn(schema, key)) ?? null;
}

function choicesOf(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = memberOf(schema, key);
  if (isList(value)) return value;
  return [{ allOf: [value, memberOf(schema, "then") ?? true] }, memberOf(schema, "else") ?? true];
}
