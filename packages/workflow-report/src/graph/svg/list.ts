import type { GraphModel } from "../types.js";
import { conditionsOf, edgesByNode, oneLine } from "../words.js";
import { LABEL_SIZE, NAME_SIZE } from "./labels.js";
import { shortened, textWidth } from "./measure.js";

/** A line of a list that stands in the place of a picture. */
export type ListLine = {
  readonly text: string;
  readonly kind: "name" | "note";
  readonly x: number;
  /** The middle of the line. */
  readonly y: number;
};

const MARGIN = 24;
const LINE = 20;
const LONGEST = 120;

/** Every node with its ways, for more of them than can be followed in a picture. */
export function listOf(model: GraphModel): {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly ListLine[];
} {
  const edgesFrom = edgesByNode(model);
  const lines = model.nodes.flatMap(({ name, visits }) => {
    const heading = { text: [oneLine(name), ...times(visits)].join(" "), kind: "name" as const };
    const ways = edgesFrom(name).map(({ to, taken, ...edge }) => {
      const words = [`→ ${oneLine(to)}`, conditionsOf({ to, taken, ...edge }).join(" or "), ...times(taken)];
      return {
        text: shortened(words.filter((word) => word !== "").join("  "), LONGEST),
        kind: "note" as const,
      };
    });
    return [heading, ...ways];
  });
  const placed = lines.map(({ text, kind }, at) => ({
    ...{ text, kind },
    x: MARGIN + (kind === "name" ? 0 : 20),
    y: MARGIN + (at + 0.5) * LINE,
  }));
  const right = placed.map(
    ({ text, kind, x }) => x + textWidth(text, kind === "name" ? NAME_SIZE : LABEL_SIZE),
  );
  return {
    width: right.reduce((most, each) => Math.max(most, each), 0) + MARGIN,
    height: 2 * MARGIN + lines.length * LINE,
    lines: placed,
  };
}

function times(count: number | null): readonly string[] {
  return count === null || count === 0 ? [] : [`×${count}`];
}
