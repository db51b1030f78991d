import { draw, type Glyphs, glyphsOf, type Piece, type Row, type TextStyle, type Tone } from "./canvas.js";
import type { GraphEdge, GraphModel, GraphNode } from "./model.js";
import { conditionsOf, edgesByNode, isList, noteOf, oneLine, stateAt } from "./words.js";

/**
 * The graph from top to bottom. The line on the left leads from each node to the next one; every other transition leaves
 * it to the right and joins the rail of its target, whose arrow stands beside the target.
 */
export function graphText(model: GraphModel, style: TextStyle): string {
  const glyphs = glyphsOf(style);
  return draw(isList(model) ? listRows(model, glyphs) : pictureRows(model, glyphs), style);
}

function pictureRows(model: GraphModel, glyphs: Glyphs): readonly Row[] {
  const nodes = withoutPlainStart(model);
  return nodes.flatMap((node, at) => {
    const next = nodes[at + 1] ?? null;
    const edges = model.edges.filter(({ from }) => from === node.name);
    return [nodeRow(model, node, glyphs), ...edgeRows(edges, next?.name ?? null, glyphs)];
  });
}

/** $START says nothing where it leads to the first role and nowhere else. */
function withoutPlainStart({ nodes, edges }: GraphModel): readonly GraphNode[] {
  const [start, first] = nodes;
  const [only, another] = edges.filter(({ from }) => from === start?.name);
  const isPlain = only !== undefined && another === undefined && conditionsOf(only).length === 0;
  return start?.kind === "start" && isPlain && only.to === first?.name ? nodes.slice(1) : nodes;
}

function nodeRow(model: GraphModel, node: GraphNode, { times, ...glyphs }: Glyphs): Row {
  const state = stateAt(model, node);
  const note = noteOf(node);
  const { visits } = node;
  const pieces: readonly (Piece | null)[] = [
    { text: `${markOf(node, glyphs)} ${oneLine(node.name)}`, tone: toneOfNode(node) },
    visits === null || visits === 0 ? null : { text: `${times}${visits}`, tone: "good" },
    note === null ? null : { text: `(${note})`, tone: node.known ? "dim" : "warn" },
    state === null ? null : { text: `[${state}]`, tone: STATES[state] },
  ];
  return { pieces: spaced(pieces.filter((piece) => piece !== null)), leaves: null, node: node.name };
}

const STATES = { next: "busy", waiting: "warn", stuck: "bad", killed: "bad" } as const;

type Marks = Pick<Glyphs, "role" | "empty" | "end" | "fail">;

/** Empty is where the thread has not been and, without a thread, the start. */
function markOf({ kind, visits }: GraphNode, { role, empty, end, fail }: Marks): string {
  if (visits === 0 || (kind === "start" && visits === null)) return empty;
  return kind === "end" ? end : kind === "fail" ? fail : role;
}

function toneOfNode({ kind, visits }: GraphNode): Tone {
  if (visits === 0) return "dim";
  return kind === "end" ? "good" : kind === "fail" ? "bad" : "strong";
}

/** The transitions of a node in their order; the one to the next node is said beside the line that leads there. */
function edgeRows(edges: readonly GraphEdge[], next: string | null, glyphs: Glyphs): readonly Row[] {
  const onward = edges.find(({ to }) => to === next) ?? null;
  const stem = toneOfEdge(onward);
  const rows = edges.flatMap((edge, at): Row[] => {
    const label = labelOf(edge, glyphs);
    if (edge === onward)
      return label.length === 0 ? [] : [plainRow(spaced([{ text: glyphs.vertical, tone: stem }, ...label]))];
    const tone = toneOfEdge(edge);
    const isLast = onward === null && at === edges.length - 1;
    const branch = isLast ? { text: glyphs.last, tone } : { text: glyphs.branch, tone: stem };
    const dash = { text: glyphs.horizontal, tone };
    const pieces = label.length === 0 ? [branch] : [branch, ...spaced([dash, ...label])];
    return [{ pieces, leaves: { to: edge.to, tone }, node: null }];
  });
  if (onward === null) return next === null ? rows : [...rows, plainRow([])];
  const line = plainRow([{ text: glyphs.vertical, tone: stem }]);
  return [...(rows.length === 0 ? [line] : rows), plainRow([{ text: glyphs.down, tone: stem }])];
}

function plainRow(pieces: readonly Piece[]): Row {
  return { pieces, leaves: null, node: null };
}

function labelOf(edge: GraphEdge, { times }: Glyphs): readonly Piece[] {
  const tone = edge.taken === null ? "plain" : toneOfEdge(edge);
  const text = conditionsOf(edge).join(" or ");
  const taken = edge.taken === null || edge.taken === 0 ? [] : [{ text: `${times}${edge.taken}`, tone }];
  return [...(text === "" ? [] : [{ text, tone }]), ...taken];
}

/** `good`: the thread went this way. */
function toneOfEdge(edge: GraphEdge | null): Tone {
  return edge !== null && edge.taken !== null && edge.taken > 0 ? "good" : "dim";
}

function spaced(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap((piece, at) => (at === 0 ? [piece] : [{ text: " ", tone: "plain" }, piece]));
}

/** For more edges than an eye can follow. */
function listRows(model: GraphModel, glyphs: Glyphs): readonly Row[] {
  const edgesFrom = edgesByNode(model);
  return model.nodes.flatMap((node) => [
    nodeRow(model, node, glyphs),
    ...edgesFrom(node.name).map((edge) => {
      const target = { text: `  ${glyphs.leads} ${oneLine(edge.to)}`, tone: toneOfEdge(edge) };
      return plainRow(spaced([target, ...labelOf(edge, glyphs)]));
    }),
  ]);
}
