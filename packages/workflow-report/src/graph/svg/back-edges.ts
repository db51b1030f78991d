import type { GraphEdge, GraphModel } from "../types.js";
import { labelOf, PORT_GAP } from "./labels.js";
import type { Box, Label, PlacedEdge, PlacedNode, Point } from "./types.js";

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
export function placeBackEdges(
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
