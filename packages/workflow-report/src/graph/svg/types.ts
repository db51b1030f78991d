import type { GraphEdge, GraphNode } from "../types.js";

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
