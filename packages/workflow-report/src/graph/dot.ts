import type { GraphEdge, GraphModel, GraphNode } from "./types.js";
import { conditionsOf, noteOf, oneLine, stateAt } from "./words.js";

/** The graph in the language of Graphviz. */
export function graphDot(model: GraphModel): string {
  const lines = [
    `digraph ${quoted([oneLine(model.name)])} {`,
    '  graph [rankdir=TB, fontname="Helvetica", nodesep=0.4, ranksep=0.5]',
    '  node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", color="#818b98", fontname="Helvetica"]',
    '  edge [color="#818b98", fontname="Helvetica", fontsize=11]',
    ...model.nodes.map((node) => `  ${quoted([oneLine(node.name)])} [${nodeAttributes(model, node)}]`),
    ...model.edges.map(
      (edge) =>
        `  ${quoted([oneLine(edge.from)])} -> ${quoted([oneLine(edge.to)])} [${edgeAttributes(edge)}]`,
    ),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const SHAPES = {
  start: ["shape=oval"],
  role: [],
  end: ["shape=oval", "peripheries=2", 'color="#1a7f37"'],
  fail: ["shape=oval", "peripheries=2", 'color="#cf222e"'],
} as const;

function nodeAttributes(model: GraphModel, node: GraphNode): string {
  const seen = node.visits !== null && node.visits > 0;
  const times = seen ? ` ×${node.visits}` : "";
  const note = noteOf(node);
  const state = stateAt(model, node);
  const lines = [
    `${oneLine(node.name)}${times}`,
    ...(note === null ? [] : [`(${note})`]),
    ...(state === null ? [] : [`[${state}]`]),
  ];
  const attributes = [
    `label=${quoted(lines)}`,
    ...SHAPES[node.kind],
    ...(seen ? ['fillcolor="#ddf4ff"', ...(node.kind === "role" ? ['color="#0969da"'] : [])] : []),
    ...(node.known ? [] : ['style="rounded,dashed"']),
  ];
  return attributes.join(", ");
}

function edgeAttributes(edge: GraphEdge): string {
  const taken = edge.taken !== null && edge.taken > 0;
  const conditions = conditionsOf(edge);
  const last = [...conditions.slice(-1), ...(taken ? [`×${edge.taken}`] : [])].join(" ");
  const attributes = [
    `label=${quoted([...conditions.slice(0, -1), last])}`,
    // A back edge has no say in which node stands above which.
    ...(edge.back ? ["constraint=false"] : []),
    ...(taken ? ['color="#0969da"', "penwidth=2"] : []),
    ...(edge.transitions.length === 0 ? ["style=dashed"] : []),
  ];
  return attributes.join(", ");
}

/** Lines of one label. In DOT only the quote ends a string, but labels have escapes of their own. */
function quoted(lines: readonly string[]): string {
  const escaped = lines.map((line) => line.replaceAll("\\", "\\\\").replaceAll('"', '\\"'));
  return `"${escaped.join("\\n")}"`;
}
