import { Graph, layout } from "@dagrejs/dagre";
import type { GraphEdge, GraphModel, GraphNode } from "./model.js";
import { labelLines, noteOf, oneLine } from "./words.js";

export type Point = { readonly x: number; readonly y: number };

/** A box by its centre; px. */
export type Box = Point & { readonly width: number; readonly height: number };

export type Label = { readonly lines: readonly string[]; readonly width: number; readonly height: number };

export type PlacedNode = Box & {
  readonly node: GraphNode;
  readonly name: string;
  readonly note: string | null;
};

export type PlacedEdge = {
  readonly edge: GraphEdge;
  /** The corners of its line, from its source to its target. */
  readonly points: readonly Point[];
  /** Whether the line bends smoothly at these points, or has rounded corners there. */
  readonly smooth: boolean;
  readonly label: (Label & Point) | null;
};

export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
};

// Sizes in px.
export const NAME_SIZE = 14;
export const NOTE_SIZE = 11;
export const LABEL_SIZE = 12;
export const LABEL_LINE = 16;

const LONGEST_NAME = 40;
const LONGEST_NOTE = 48;
const LONGEST_LABEL = 34;

/** Between the places where back edges leave or reach one node. */
const PORT_GAP = 12;

const NARROWEST_ROLE = 112;
const ROLE_HEIGHT = 44;
const NOTED_HEIGHT = 56;
const END_HEIGHT = 34;

/** A node as large as its texts and its back edges need. */
function sizedNode(node: GraphNode, ports: number): PlacedNode {
  const name = shortened(oneLine(node.name), LONGEST_NAME);
  const noteText = noteOf(node);
  const note = noteText === null ? null : shortened(noteText, LONGEST_NOTE);
  const isRole = node.kind === "role";
  const texts = Math.max(textWidth(name, NAME_SIZE), note === null ? 0 : textWidth(note, NOTE_SIZE));
  const width = Math.max(isRole ? NARROWEST_ROLE : 0, texts + 36);
  const tall = isRole ? (note === null ? ROLE_HEIGHT : NOTED_HEIGHT) : END_HEIGHT;
  const size: Box = { x: 0, y: 0, width, height: Math.max(tall, (ports + 1) * PORT_GAP) };
  return { ...size, node, name, note };
}

/** What stands on an edge; `null`: nothing. */
function labelOf(edge: GraphEdge): Label | null {
  const lines = labelLines(edge, (text) => shortened(text, LONGEST_LABEL));
  if (lines.length === 0) return null;
  const width = Math.max(...lines.map((line) => textWidth(line, LABEL_SIZE))) + 12;
  return { lines, width, height: lines.length * LABEL_LINE + 6 };
}

/** How many back edges leave or reach a node, those to itself twice. */
function portsOf({ edges }: GraphModel, { name }: GraphNode): number {
  const back = edges.filter((edge) => edge.back);
  return back.filter(({ from }) => from === name).length + back.filter(({ to }) => to === name).length;
}

/** Of the usual sans-serif fonts, as a part of the font size: which font will draw the text is unknown here. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;'|!]/, 0.31],
  [/[frtI()[\]{}/\\ "*-]/, 0.41],
  [/[mwMW@%—]/, 0.92],
  [/[A-Z&]/, 0.72],
  [/[ -~]/, 0.59],
  // East Asian letters and signs, and what stands beyond the first plane: emoji, mostly.
  [
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{10000}-\u{10ffff}]/u,
    1.05,
  ],
];

const OTHER = 0.65;

/** How wide a text of one line is at most, in px. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += WIDTHS.find(([kind]) => kind.test(character))?.[1] ?? OTHER;
  return Math.ceil(width * size);
}

/** The text, cut to at most this many characters, with an ellipsis. */
export function shortened(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest
    ? text
    : `${characters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`;
}

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

/** Between a lane and what stands left of it. */
const LANE_GAP = 18;
/** Between a node and a line that leads around its neighbours. */
const STUB = 10;
/** Between a label and a line that does not belong to it. */
const CLEAR = 4;

/**
 * Back edges leave a node on its right, run up in a lane right of everything that they pass, and come back to their
 * target from the right. Short ones stand further left. Of one node those that leave are above those that arrive, so that
 * no two of its lines cross.
 */
function placeBackEdges(
  model: GraphModel,
  nodes: readonly PlacedNode[],
  forward: readonly PlacedEdge[],
): readonly PlacedEdge[] {
  const byName = new Map(nodes.map((node) => [node.node.name, node]));
  const back = model.edges.filter((edge) => edge.back).flatMap((edge) => endsOf(edge, byName) ?? []);
  const shortFirst = back.sort((a, b) => rise(a) - rise(b) || a.from.y - b.from.y);
  const boxes = [...nodes, ...forward.flatMap(({ label }) => label ?? [])];
  const lanes: Lane[] = [];
  for (const [at, ends] of shortFirst.entries()) {
    const count = (node: PlacedNode): number => endsAt(node, shortFirst).length;
    const from = portOf(ends.from, leaving(ends, shortFirst), count(ends.from));
    const to = portOf(ends.to, arriving(ends, shortFirst), count(ends.to));
    const out = wayOut(from, { own: ends.from, boxes, shift: at, up: true });
    const home = wayOut(to, { own: ends.to, boxes, shift: at, up: false });
    lanes.push(laneOf(ends.edge, { out, home }, { boxes, forward, lanes }));
  }
  return lanes.map((lane) => ({
    edge: lane.edge,
    points: lane.points,
    smooth: false,
    label: placedLabel(lane, lanes),
  }));
}

type Ends = { readonly edge: GraphEdge; readonly from: PlacedNode; readonly to: PlacedNode };

function endsOf(edge: GraphEdge, byName: ReadonlyMap<string, PlacedNode>): Ends | null {
  const from = byName.get(edge.from);
  const to = byName.get(edge.to);
  return from === undefined || to === undefined ? null : { edge, from, to };
}

function rise({ from, to }: Ends): number {
  return from.y - to.y;
}

function isLoop({ from, to }: Ends): boolean {
  return from === to;
}

function endsAt(node: PlacedNode, sorted: readonly Ends[]): readonly Ends[] {
  return [...sorted.filter(({ from }) => from === node), ...sorted.filter(({ to }) => to === node)];
}

/** From the top of a node: edges that leave, inner ones first; then a loop, which leaves and arrives; then the others. */
function leaving(ends: Ends, sorted: readonly Ends[]): number {
  const own = sorted.filter(({ from }) => from === ends.from);
  return [...own.filter((each) => !isLoop(each)), ...own.filter(isLoop)].indexOf(ends);
}

function arriving(ends: Ends, sorted: readonly Ends[]): number {
  const leave = sorted.filter(({ from }) => from === ends.to).length;
  const own = sorted.filter(({ to }) => to === ends.to).toReversed();
  return leave + [...own.filter(isLoop), ...own.filter((each) => !isLoop(each))].indexOf(ends);
}

function portOf({ x, y, width }: Box, index: number, count: number): Point {
  return { x: x + width / 2, y: y + (index - (count - 1) / 2) * PORT_GAP };
}

type Surroundings = {
  readonly own: Box;
  /** Nodes and labels. */
  readonly boxes: readonly Box[];
  /** Keeps the lines of several edges apart. */
  readonly shift: number;
  /** Whether it gets around its neighbours above them, or below. */
  readonly up: boolean;
};

/** From a port to where it is free to go right: the port itself, or a place above or below what is in the way. */
function wayOut(port: Point, { own, boxes, shift, up }: Surroundings): readonly Point[] {
  const row = boxes.filter(({ y, height }) => Math.abs(y - own.y) < (height + own.height) / 2);
  if (!row.some(({ x }) => x > own.x)) return [port];
  const away = STUB + (shift % 3) * 4;
  const y = up
    ? Math.min(...row.map((box) => box.y - box.height / 2)) - away
    : Math.max(...row.map((box) => box.y + box.height / 2)) + away;
  const x = port.x + STUB;
  return [port, { x, y: port.y }, { x, y }];
}

type Lane = {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  readonly label: Label | null;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  /** Too short to have its label on it. */
  readonly isShort: boolean;
};

type Ways = { readonly out: readonly Point[]; readonly home: readonly Point[] };

type Others = {
  readonly boxes: readonly Box[];
  readonly forward: readonly PlacedEdge[];
  readonly lanes: readonly Lane[];
};

function laneOf(edge: GraphEdge, { out, home }: Ways, others: Others): Lane {
  const label = labelOf(edge);
  const heights = [...out.slice(-1), ...home.slice(-1)].map(({ y }) => y);
  const top = Math.min(...heights);
  const bottom = Math.max(...heights);
  const isShort = bottom - top < (label?.height ?? 0) + 2 * STUB;
  const room = isShort ? Math.max((bottom - top) / 2, (label?.height ?? 0) / 2) : (bottom - top) / 2;
  const left = rightOf((top + bottom) / 2, room + CLEAR, others) + LANE_GAP;
  const x = left + (isShort ? 0 : (label?.width ?? 0) / 2);
  const corners = [...out.slice(-1), ...home.slice(-1)].map(({ y }) => ({ x, y }));
  return { edge, points: [...out, ...corners, ...home.toReversed()], label, x, top, bottom, isShort };
}

type Stripe = { readonly y: number; readonly height: number; readonly right: number };

/** The right side of everything within `room` of a height: nodes, labels, lines and other lanes. */
function rightOf(middle: number, room: number, { boxes, forward, lanes }: Others): number {
  const stripes: readonly Stripe[] = [
    ...boxes.map(({ x, y, width, height }) => ({ y, height, right: x + width / 2 })),
    ...forward.flatMap(({ points }) => stripesOf(points)),
    ...lanes.map(stripeOfLane),
  ];
  const beside = stripes.filter(({ y, height }) => Math.abs(y - middle) < room + height / 2);
  return Math.max(...beside.map(({ right }) => right));
}

function stripesOf(points: readonly Point[]): readonly Stripe[] {
  return points.slice(1).map((end, at) => {
    const begin = points[at] ?? end;
    const y = (begin.y + end.y) / 2;
    return { y, height: Math.abs(begin.y - end.y), right: Math.max(begin.x, end.x) };
  });
}

function stripeOfLane({ label, x, top, bottom, isShort }: Lane): Stripe {
  const { width = 0, height = 0 } = label ?? {};
  const right = x + (isShort ? width : width / 2);
  return { y: (top + bottom) / 2, height: Math.max(bottom - top, isShort ? height : 0), right };
}

/** On its lane, as near to the middle as other lines allow; of a short lane, beside it. */
function placedLabel(lane: Lane, lanes: readonly Lane[]): PlacedEdge["label"] {
  const { label, x, top, bottom, isShort } = lane;
  if (label === null) return null;
  const middle = (top + bottom) / 2;
  // Below it, lines of the same node may arrive.
  if (isShort) return { ...label, x: x + label.width / 2, y: bottom + CLEAR - label.height / 2 + 1 };
  const crossing = lanes
    .filter((other) => other !== lane)
    .flatMap(({ points }) => stripesOf(points))
    .filter(({ height, right }) => height === 0 && right > x - label.width / 2);
  const isFree = (y: number): boolean =>
    crossing.every((line) => Math.abs(line.y - y) > label.height / 2 + CLEAR);
  const reach = (bottom - top - label.height) / 2 - STUB;
  const steps = Array.from({ length: Math.max(0, Math.floor(reach / CLEAR)) }, (_, at) => (at + 1) * CLEAR);
  const offset = [0, ...steps.flatMap((step) => [step, -step])].find((step) => isFree(middle + step)) ?? 0;
  return { ...label, x, y: middle + offset };
}
