import type { Problem } from "@uncaged/workflow-protocol";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { below, type Position, quote } from "../shape.js";

type Walk = {
  readonly text: string;
  readonly lines: (offset: number) => Position;
  readonly depth: number;
  readonly problems: Problem[];
};

/** What YAML allows and our documents do not: everything that is not plain JSON, or that reads otherwise than it looks. */
export function inspectNode(
  root: Node | null,
  text: string,
  lines: (offset: number) => Position,
  depth: number,
): readonly Problem[] {
  const walk: Walk = { text, lines, depth, problems: [] };
  visit(walk, root, "", 0);
  return walk.problems;
}

function visit(walk: Walk, node: unknown, path: string, level: number): void {
  if (!isNode(node)) return;
  if (isAlias(node)) add(walk, node, path, `aliases (*${node.source}) are not allowed, repeat the value`);
  else if (node.anchor !== undefined) addAnchor(walk, node, node.anchor, path);
  if (isScalar(node)) visitScalar(walk, node, path);
  else if (isMap(node) || isSeq(node)) visitCollection(walk, node, path, level);
}

function visitCollection(walk: Walk, node: YAMLMap | YAMLSeq, path: string, level: number): void {
  if (level >= walk.depth) add(walk, node, path, `nested deeper than ${walk.depth} levels`);
  else if (isMap(node)) visitMap(walk, node, path, level);
  else for (const [index, item] of node.items.entries()) visit(walk, item, below(path, index), level + 1);
}

function visitMap(walk: Walk, map: YAMLMap, path: string, level: number): void {
  const first = new Map<string, Scalar>();
  for (const { key, value } of map.items) {
    const name = keyOf(walk, key, map, path);
    if (name === null) continue;
    const earlier = first.get(name);
    if (earlier !== undefined) {
      const { line } = walk.lines(offsetOf(earlier));
      add(walk, key, below(path, name), `duplicate key ${quote(name)}, first on line ${line}`);
    } else if (isScalar(key)) first.set(name, key);
    visit(walk, value, below(path, name), level + 1);
  }
}

function keyOf(walk: Walk, key: unknown, map: YAMLMap, path: string): string | null {
  if (!isScalar(key)) {
    add(walk, isNode(key) ? key : map, path, "a key must be text, found a list, a map or an alias");
    return null;
  }
  if (key.anchor !== undefined) addAnchor(walk, key, key.anchor, path);
  if (typeof key.value !== "string") {
    add(walk, key, path, `the key ${key.source ?? String(key.value)} must be text; quote it`);
    return null;
  }
  if (key.value === "<<" && key.type === "PLAIN") {
    add(walk, key, path, "merge keys (<<) are not allowed, repeat the entries");
    return null;
  }
  return key.value;
}

function visitScalar(walk: Walk, scalar: Scalar, path: string): void {
  const { value } = scalar;
  if (typeof value !== "number") return;
  const source = scalar.source ?? String(value);
  if (!Number.isFinite(value)) add(walk, scalar, path, `${source} is not a JSON number`);
  else if (!Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source))
    add(walk, scalar, path, `the number ${source} is too large to be kept exactly; quote it`);
}

/** A node begins after its anchor. */
function addAnchor(walk: Walk, node: Node, anchor: string, path: string): void {
  const at = walk.text.lastIndexOf(`&${anchor}`, offsetOf(node));
  const message = `anchors (&${anchor}) are not allowed; a text that starts with & must be quoted`;
  addAt(walk, at === -1 ? offsetOf(node) : at, path, message);
}

function add(walk: Walk, node: unknown, path: string, message: string): void {
  addAt(walk, offsetOf(node), path, message);
}

function addAt({ lines, problems }: Walk, offset: number, path: string, message: string): void {
  problems.push({
    severity: "error",
    code: "syntax",
    ...lines(offset),
    path,
    message,
    suggestion: null,
    also: [],
  });
}

export function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
