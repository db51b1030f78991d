import type { GraphEdge, GraphModel, GraphNode } from "./types.js";
import { conditionsOf, noteOf, oneLine, stateAt } from "./words.js";

const SHAPES = {
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
  const [open, close] = SHAPES[node.kind];
  const times = node.visits === null || node.visits === 0 ? "" : ` ×${node.visits}`;
  const note = noteOf(node);
  const state = stateAt(model, node);
  const lines = [
    `${escaped(oneLine(node.name))}${times}`,
    ...(note === null ? [] : [`<i>${escaped(note)}</i>`]),
    ...(state === null ? [] : [`<b>${state}</b>`]),
  ];
  return `${open}${lines.join("<br>")}${close}`;
}

function arrow(edge: GraphEdge): string {
  const line = edge.transitions.length === 0 ? "-.->" : "-->";
  const times = edge.taken === null || edge.taken === 0 ? [] : [`×${edge.taken}`];
  const lines = conditionsOf(edge).map(escaped);
  const label = [...lines.slice(0, -1), [...lines.slice(-1), ...times].join(" ")].join("<br>");
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
