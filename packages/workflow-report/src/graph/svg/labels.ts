import type { GraphEdge, GraphModel, GraphNode } from "../types.js";
import { conditionsOf, noteOf, oneLine } from "../words.js";
import { shortened, textWidth } from "./measure.js";
import type { Box, Label, PlacedNode } from "./types.js";

// Sizes in px.
export const NAME_SIZE = 14;
export const NOTE_SIZE = 11;
export const LABEL_SIZE = 12;
export const LABEL_LINE = 16;

const LONGEST_NAME = 40;
const LONGEST_NOTE = 48;
const LONGEST_LABEL = 34;

/** Between the places where back edges leave or reach one node. */
export const PORT_GAP = 12;

const NARROWEST_ROLE = 112;
const ROLE_HEIGHT = 44;
const NOTED_HEIGHT = 56;
const END_HEIGHT = 34;

/** A node as large as its texts and its back edges need. */
export function sizedNode(node: GraphNode, ports: number): PlacedNode {
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
export function labelOf(edge: GraphEdge): Label | null {
  const conditions = conditionsOf(edge).map((text) => shortened(text, LONGEST_LABEL));
  const taken = edge.taken === null || edge.taken === 0 ? [] : [`×${edge.taken}`];
  const last = [...conditions.slice(-1), ...taken].join(" ");
  const lines = [...conditions.slice(0, -1), ...(last === "" ? [] : [last])];
  if (lines.length === 0) return null;
  const width = Math.max(...lines.map((line) => textWidth(line, LABEL_SIZE))) + 12;
  return { lines, width, height: lines.length * LABEL_LINE + 6 };
}

/** How many back edges leave or reach a node, those to itself twice. */
export function portsOf({ edges }: GraphModel, { name }: GraphNode): number {
  const back = edges.filter((edge) => edge.back);
  return back.filter(({ from }) => from === name).length + back.filter(({ to }) => to === name).length;
}
