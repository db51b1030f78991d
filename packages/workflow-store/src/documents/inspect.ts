import type { Problem } from "@uncaged/workflow-protocol";
import { CUT, lineEnd } from "@uncaged/workflow-util";
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
import type { IsCut } from "./cut-text.js";

const LONGEST_SHOWN = 80;

type Walk = {
  readonly text: string;
  readonly lines: (offset: number) => Position;
  readonly depth: number;
  readonly isCut: IsCut;
  readonly problems: Problem[];
};

/** What YAML allows and our documents do not: everything that is not plain JSON, or that reads otherwise than it looks. */
export function inspectNode(
  root: Node | null,
  text: string,
  lines: (offset: number) => Position,
  depth: number,
  isCut: IsCut,
): readonly Problem[] {
  const walk: Walk = { text, lines, depth, isCut, problems: [] };
  visit(walk, root, "", 0, false);
  return walk.problems;
}

/** `inFlow`: between `[ ]` or `{ }`. */
function visit(walk: Walk, node: unknown, path: string, level: number, inFlow: boolean): void {
  if (!isNode(node)) return;
  if (isAlias(node)) add(walk, node, path, `aliases (*${node.source}) are not allowed, repeat the value`);
  else if (node.anchor !== undefined) addAnchor(walk, node, node.anchor, path);
  if (isScalar(node)) visitScalar(walk, node, path, inFlow);
  else if (isMap(node) || isSeq(node)) visitCollection(walk, node, path, level, inFlow || node.flow === true);
}

function visitCollection(
  walk: Walk,
  node: YAMLMap | YAMLSeq,
  path: string,
  level: number,
  inFlow: boolean,
): void {
  if (level >= walk.depth) add(walk, node, path, `nested deeper than ${walk.depth} levels`);
  else if (isMap(node)) visitMap(walk, node, path, level, inFlow);
  else
    for (const [index, item] of node.items.entries())
      visit(walk, item, below(path, index), level + 1, inFlow);
}

function visitMap(walk: Walk, map: YAMLMap, path: string, level: number, inFlow: boolean): void {
  const first = new Map<string, Scalar>();
  for (const { key, value } of map.items) {
    const name = keyOf(walk, key, map, path);
    if (name === null) continue;
    const earlier = first.get(name);
    if (earlier !== undefined) {
      const { line } = walk.lines(offsetOf(earlier));
      add(walk, key, below(path, name), `duplicate key ${quote(name)}, first on line ${line}`);
    } else if (isScalar(key)) first.set(name, key);
    visit(walk, value, below(path, name), level + 1, inFlow);
  }
}

function keyOf(walk: Walk, key: unknown, map: YAMLMap, path: string): string | null {
  if (!isScalar(key)) {
    const isTemplate = isMap(key) && walk.text.startsWith("{{", offsetOf(map));
    const sentence = isTemplate
      ? "{{ }} is a map in YAML: an expression is written without it, any other text in quotes"
      : "a key must be text, found a list, a map or an alias";
    add(walk, isNode(key) ? key : map, path, sentence);
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

function visitScalar(walk: Walk, scalar: Scalar, path: string, inFlow: boolean): void {
  const { value } = scalar;
  if (scalar.type === "PLAIN" && (typeof value === "string" || scalar.source === ""))
    visitPlain(walk, scalar, path, inFlow);
  if (typeof value !== "number") return;
  const source = scalar.source ?? String(value);
  if (!Number.isFinite(value)) add(walk, scalar, path, `${source} is not a JSON number`);
  else if (!Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source))
    add(walk, scalar, path, `the number ${source} is too large to be kept exactly; quote it`);
}

/** A text without quotes, or none where the text begins with a `#`. */
function visitPlain(walk: Walk, scalar: Scalar, path: string, inFlow: boolean): void {
  const text = typeof scalar.value === "string" ? scalar.value : "";
  const [start = 0, end = 0] = scalar.range ?? [];
  const rest = walk.text.slice(end, lineEnd(walk.text, end));
  const comment = rest.trim();
  if (!/^\s*#/.test(rest) || !walk.isCut(path, text, comment)) return;
  // Between brackets it is unknown where the text was to end.
  const meant = walk.text.slice(start, end + rest.length).trim();
  const isShown = !inFlow && !meant.includes("\n") && meant.length <= LONGEST_SHOWN;
  addAt(walk, end + rest.indexOf("#"), path, CUT, isShown ? JSON.stringify(meant) : null);
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

function addAt(
  { lines, problems }: Walk,
  offset: number,
  path: string,
  message: string,
  suggestion: string | null = null,
): void {
  problems.push({
    severity: "error",
    code: "syntax",
    ...lines(offset),
    path,
    message,
    suggestion,
    also: [],
  });
}

export function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
