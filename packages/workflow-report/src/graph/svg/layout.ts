import { Graph, layout } from "@dagrejs/dagre";
import type { GraphEdge, GraphModel } from "../types.js";
import { placeBackEdges } from "./back-edges.js";
import { labelOf, portsOf, sizedNode } from "./labels.js";
import type { Layout, PlacedEdge, PlacedNode, Point } from "./types.js";

/** Around the picture. */
const MARGIN = 24;

/** Edges between neighbours in the order of nodes are kept straight. */
const STRAIGHT = 8;

/**
 * Everything in its place: forward edges by dagre, then back edges beside what they pass. The first way from a node to the
 * next one stands on the right, next to the back edges, and the ends stand below everything else.
 */
export function layoutOf(model: GraphModel): Layout {
  const position = new Map(model.nodes.map(({ name }, at) => [name, at]));
  const placeOf = (name: string): number => position.get(name) ?? 0;
  const distance = ({ from, to }: GraphEdge): number => placeOf(to) - placeOf(from);
  // Names may be those of every object's own properties, which dagre would stumble over.
  const id = (name: string): string => `n${placeOf(name)}`;
  const graph = new Graph();
  const spaces = { nodesep: 36, edgesep: 20, ranksep: 34, marginx: MARGIN, marginy: MARGIN };
  graph.setGraph({ rankdir: "TB", align: "UR", ...spaces });
  const sized = model.nodes.map((node) => sizedNode(node, portsOf(model, node)));
  for (const { node, width, height } of sized) graph.setNode(id(node.name), { width, height });
  const forward = model.edges.filter(({ back }) => !back);
  const below = heightsOf(model, forward);
  // dagre keeps the order in which it gets the edges of a node where no lines cross.
  for (const edge of forward.toSorted((a, b) => distance(a) - distance(b))) {
    const { width = 0, height = 0 } = labelOf(edge) ?? {};
    const weight = distance(edge) === 1 ? STRAIGHT : 1;
    const minlen = below.has(edge.to) ? 1 : (below.get(edge.from) ?? 1);
    graph.setEdge(id(edge.from), id(edge.to), { width, height, labelpos: "c", weight, minlen });
  }
  layout(graph);
  const nodes = sized.map((one): PlacedNode => ({ ...one, ...pointOf(graph.node(id(one.node.name))) }));
  const edges = forward.map((edge) => forwardEdge(edge, graph.edge(id(edge.from), id(edge.to))));
  const all = [...edges, ...placeBackEdges(model, nodes, edges)];
  return { ...extent(nodes, all), nodes, edges: all };
}

/** For every node but the ends, how many rows below it the ends stand. */
function heightsOf({ nodes }: GraphModel, forward: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const inner = nodes.filter(({ kind }) => kind !== "end" && kind !== "fail");
  const rows = new Map(inner.map(({ name }) => [name, 0]));
  // A node stands behind all that lead to it.
  for (const { name } of inner)
    for (const { to } of forward.filter(({ from }) => from === name))
      if (rows.has(to)) rows.set(to, Math.max(rows.get(to) ?? 0, (rows.get(name) ?? 0) + 1));
  const last = Math.max(0, ...rows.values()) + 1;
  return new Map([...rows].map(([name, row]) => [name, last - row]));
}

type Placed = { readonly x?: number; readonly y?: number; readonly points?: readonly Point[] };

function pointOf({ x = 0, y = 0 }: Placed): Point {
  return { x, y };
}

function forwardEdge(edge: GraphEdge, placed: Placed): PlacedEdge {
  const label = labelOf(edge);
  return {
    edge,
    points: placed.points ?? [],
    smooth: true,
    label: label === null ? null : { ...label, ...pointOf(placed) },
  };
}

function extent(
  nodes: readonly PlacedNode[],
  edges: readonly PlacedEdge[],
): Pick<Layout, "width" | "height"> {
  const boxes = [...nodes, ...edges.flatMap(({ label }) => label ?? [])];
  const points = edges.flatMap((edge) => edge.points);
  const right = Math.max(0, ...boxes.map(({ x, width }) => x + width / 2), ...points.map(({ x }) => x));
  const bottom = Math.max(0, ...boxes.map(({ y, height }) => y + height / 2), ...points.map(({ y }) => y));
  return { width: Math.ceil(right + MARGIN), height: Math.ceil(bottom + MARGIN) };
}
