import type { GraphEdge, GraphModel, GraphNode } from "./model.js";
import { labelLines, nodeLines, oneLine } from "./words.js";

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

const DOT_SHAPES = {
  start: ["shape=oval"],
  role: [],
  end: ["shape=oval", "peripheries=2", 'color="#1a7f37"'],
  fail: ["shape=oval", "peripheries=2", 'color="#cf222e"'],
} as const;

function nodeAttributes(model: GraphModel, node: GraphNode): string {
  const seen = node.visits !== null && node.visits > 0;
  const lines = nodeLines(model, node, {
    name: (text) => text,
    note: (text) => `(${text})`,
    state: (text) => `[${text}]`,
  });
  const attributes = [
    `label=${quoted(lines)}`,
    ...DOT_SHAPES[node.kind],
    ...(seen ? ['fillcolor="#ddf4ff"', ...(node.kind === "role" ? ['color="#0969da"'] : [])] : []),
    ...(node.known ? [] : ['style="rounded,dashed"']),
  ];
  return attributes.join(", ");
}

function edgeAttributes(edge: GraphEdge): string {
  const taken = edge.taken !== null && edge.taken > 0;
  const attributes = [
    `label=${quoted(labelLines(edge, (text) => text))}`,
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

const MERMAID_SHAPES = {
  start: ['(["', '"])'],
  role: ['("', '")'],
  end: ['(["', '"])'],
  fail: ['(["', '"])'],
} as const;

/** The graph as a flowchart of Mermaid, which many pages with Markdown draw. Nodes have numbers: names may be words of its language. */
export function graphMermaid(model: GraphModel): string {
  const ids = new Map(model.nodes.map(({ name }, at) => [name, `n${at}`]));
  const walked = model.nodes.filter(({ visits }) => visits !== null && visits > 0);
  const taken = model.edges.flatMap(({ taken: times }, at) => (times !== null && times > 0 ? [at] : []));
  const lines = [
    "flowchart TD",
    ...model.nodes.map((node) => `  ${ids.get(node.name)}${nodeText(model, node)}`),
    ...model.edges.map((edge) => `  ${ids.get(edge.from)} ${arrow(edge)} ${ids.get(edge.to)}`),
    ...(walked.length === 0
      ? []
      : [
          "  classDef seen stroke:#0969da,stroke-width:2px",
          `  class ${walked.map(({ name }) => ids.get(name)).join(",")} seen`,
        ]),
    ...(taken.length === 0 ? [] : [`  linkStyle ${taken.join(",")} stroke:#0969da,stroke-width:2px`]),
  ];
  return `${lines.join("\n")}\n`;
}

function nodeText(model: GraphModel, node: GraphNode): string {
  const [open, close] = MERMAID_SHAPES[node.kind];
  const lines = nodeLines(model, node, {
    name: escaped,
    note: (text) => `<i>${escaped(text)}</i>`,
    state: (text) => `<b>${text}</b>`,
  });
  return `${open}${lines.join("<br>")}${close}`;
}

function arrow(edge: GraphEdge): string {
  const line = edge.transitions.length === 0 ? "-.->" : "-->";
  const label = labelLines(edge, escaped).join("<br>");
  return label === "" ? line : `${line}|"${label}"|`;
}

/** Everything but letters, digits and a few harmless signs as a number: labels are read as HTML, Markdown and formulas. */
function escaped(text: string): string {
  const harmless = text.replace(/[^\p{L}\p{M}\p{N} _.,:;()/-]/gu, codeOf);
  // What would begin a list.
  return harmless.replace(/^-|(?<=^\d+)\./, codeOf);
}

function codeOf(sign: string): string {
  return `#${sign.codePointAt(0)};`;
}
