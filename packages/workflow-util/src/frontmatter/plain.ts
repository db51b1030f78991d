import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { LIMITS } from "@uncaged/workflow-protocol";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { escapeFaults } from "./escapes.js";
import type { YamlFault } from "./yaml.js";

type Report = ((node: unknown, message: string) => void) & {
  /** The text that the nodes were read from. */
  readonly text: string;
  readonly faults: YamlFault[];
};

const TOO_DEEP = `it is nested deeper than ${LIMITS.depth} levels`;

/**
 * The tree as a JSON value; `report`ed is everything that is not plain JSON, or that reads otherwise than it looks.
 * Recursive: `readYaml` has refused what would overflow the stack; the exact depth is counted here.
 */
export function plainValue(
  root: Node | null,
  text: string,
): {
  readonly value: JsonValue;
  readonly faults: readonly YamlFault[];
} {
  const faults: YamlFault[] = [];
  const add = (node: unknown, message: string): void => {
    faults.push({ offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, message });
  };
  const report: Report = Object.assign(add, { text, faults });
  return { value: jsonOf(root, report, 1), faults };
}

function jsonOf(node: unknown, report: Report, level: number): JsonValue {
  if (!isNode(node)) return null;
  if (isAlias(node)) {
    report(node, `aliases (*${node.source}) are not allowed, repeat the value`);
    return null;
  }
  if (node.anchor !== undefined) report(node, `anchors (&${node.anchor}) are not allowed`);
  if (node.tag !== undefined) report(node, `tags (${node.tag}) are not allowed`);
  if (isScalar(node)) return scalarOf(node, report);
  if (level > LIMITS.depth) report(node, TOO_DEEP);
  else if (isMap(node)) return objectOf(node, report, level);
  else if (isSeq(node)) return node.items.map((item) => jsonOf(item, report, level + 1));
  return null;
}

function objectOf(map: YAMLMap, report: Report, level: number): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const pair of map.items) {
    const key = keyOf(pair, map, report);
    if (key === null) continue;
    if (entries.has(key)) report(pair.key, `the key ${JSON.stringify(key)} appears twice`);
    entries.set(key, jsonOf(pair.value, report, level + 1));
  }
  // Makes own properties of all names, `__proto__` too.
  return Object.fromEntries(entries);
}

function keyOf({ key }: Pair, map: YAMLMap, report: Report): string | null {
  const wrong = (message: string): null => {
    report(isNode(key) ? key : map, message);
    return null;
  };
  if (!isScalar(key)) return wrong("a key must be text, found a list, a map, an alias or nothing");
  const text = jsonOf(key, report, 1);
  if (typeof text !== "string") return wrong(`the key ${key.source ?? String(text)} must be text, quote it`);
  if (text === "<<" && key.type === "PLAIN")
    return wrong("merge keys (<<) are not allowed, repeat the entries");
  return text;
}

function scalarOf(scalar: Scalar, report: Report): JsonValue {
  const { value } = scalar;
  const source = scalar.source ?? String(value);
  if (typeof value === "bigint") return integerOf(value, source, scalar, report);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) report(scalar, `${source} is not a number that JSON has`);
    return value;
  }
  if (typeof value === "string") {
    const [start = 0, end = 0] = scalar.range ?? [];
    if (scalar.type === "QUOTE_DOUBLE")
      report.faults.push(...escapeFaults(report.text.slice(start, end), start));
    if (/\p{Surrogate}/u.test(value)) report(scalar, "the text holds half of a surrogate pair");
    return value;
  }
  return typeof value === "boolean" ? value : null;
}

function integerOf(value: bigint, source: string, scalar: Scalar, report: Report): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    report(scalar, `the number ${source} is too large to be kept exactly, quote it`);
  return number;
}
