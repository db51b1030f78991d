import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { GraphEdge, GraphModel, GraphNode } from "./model.js";

// Names of stored workflows can be any text. Every picture gets them as one clean line.

/** Characters of a name that are looked at; no picture has room for more. */
const LONGEST = 1000;

export function oneLine(text: string): string {
  // Half a character, and the two that XML cannot hold, become the sign for something unreadable.
  const readable = text.slice(0, LONGEST).replace(/[\ud800-\udfff\ufffe\uffff]/gu, "\ufffd");
  const seen = sanitizeTerminal(readable).replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "");
  return seen.replace(/\s+/g, " ").trim();
}

/** What stands on an edge, a line per transition; nothing on the only way that a node has. */
export function conditionsOf({ transitions }: GraphEdge): readonly string[] {
  if (transitions.length === 0) return ["not in this workflow"];
  return transitions.flatMap(({ condition, order }) => {
    if (condition !== null) return [oneLine(condition)];
    return order === 1 ? [] : ["otherwise"];
  });
}

/** `×3`; nothing without a thread, and where it never was. */
export function timesOf(count: number | null): readonly string[] {
  return count === null || count === 0 ? [] : [`×${count}`];
}

/** The lines of an edge's label, each condition as `shown`; the last says how often the edge was taken. */
export function labelLines(edge: GraphEdge, shown: (text: string) => string): readonly string[] {
  const conditions = conditionsOf(edge).map(shown);
  const last = [...conditions.slice(-1), ...timesOf(edge.taken)].join(" ");
  return [...conditions.slice(0, -1), ...(last === "" ? [] : [last])];
}

type NodeStyle = Readonly<Record<"name" | "note" | "state", (text: string) => string>>;

/** The lines of a node: its name and visits, who plays it, the state of a thread that stands there. */
export function nodeLines(model: GraphModel, node: GraphNode, style: NodeStyle): readonly string[] {
  const note = noteOf(node);
  const state = stateAt(model, node);
  return [
    [style.name(oneLine(node.name)), ...timesOf(node.visits)].join(" "),
    ...(note === null ? [] : [style.note(note)]),
    ...(state === null ? [] : [style.state(state)]),
  ];
}

/** Who plays it, or that the workflow has no such role; `null`: nothing to say. */
export function noteOf({ known, player }: GraphNode): string | null {
  if (!known) return "not in this workflow";
  return player === null ? null : oneLine(player);
}

/** The state of a thread that stands at this node. */
export function stateAt(
  { at }: GraphModel,
  { name }: GraphNode,
): NonNullable<GraphModel["at"]>["state"] | null {
  return at?.node === name ? at.state : null;
}

const MOST_EDGES = 200;
const MOST_NODES = 200;

/** More cannot be followed in a picture, which takes time in the square of them: a list says it better. */
export function isList({ nodes, edges }: GraphModel): boolean {
  return nodes.length > MOST_NODES || edges.length > MOST_EDGES;
}

/** The edges that leave a node, in their order. All are looked at once, however many nodes there are. */
export function edgesByNode({ edges }: GraphModel): (name: string) => readonly GraphEdge[] {
  const byNode = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const { from } = edge;
    const known = byNode.get(from);
    if (known === undefined) byNode.set(from, [edge]);
    else known.push(edge);
  }
  return (name) => byNode.get(name) ?? [];
}
