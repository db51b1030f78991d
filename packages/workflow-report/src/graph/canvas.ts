import truncatedWidth from "fast-string-truncated-width";

/** Colours by meaning. */
export type TextPaint = Readonly<
  Record<"good" | "bad" | "warn" | "busy" | "dim" | "strong", (text: string) => string>
>;

export type TextStyle = {
  /** Columns that the picture should fit. */
  readonly width: number;
  /** `false`: ASCII only, but for names that are not. */
  readonly unicode: boolean;
  readonly paint: TextPaint;
};

export type Tone = keyof TextPaint | "plain";

export type Piece = { readonly text: string; readonly tone: Tone };

/** A line of the picture. */
export type Row = {
  readonly pieces: readonly Piece[];
  /** From here a line leads to the rail of this node; `good`: a thread went there. */
  readonly leaves: { readonly to: string; readonly tone: Tone } | null;
  /** This is the row of this node: its rail, if it has one, ends here. */
  readonly node: string | null;
};

const UNICODE = {
  ...{ role: "●", empty: "○", end: "◉", fail: "⊗", times: "×", ellipsis: "…", leads: "→", into: "◀" },
  ...{ down: "▼", vertical: "│", horizontal: "─", branch: "├", last: "╰", cross: "┼", join: "┤" },
  ...{ upper: "╮", lower: "╯" },
};

export type Glyphs = Readonly<Record<keyof typeof UNICODE, string>>;

const ASCII: Glyphs = {
  ...{ role: "*", empty: "o", end: "@", fail: "x", times: "x", ellipsis: "...", leads: "->", into: "<" },
  ...{ down: "v", vertical: "|", horizontal: "-", branch: "|", last: "`", cross: "+", join: "|" },
  ...{ upper: ".", lower: "'" },
};

export function glyphsOf({ unicode }: TextStyle): Glyphs {
  return unicode ? UNICODE : ASCII;
}

/** Between the widest text and the first rail: a space, and enough line to see which way it goes. */
const GAP = 4;
/** Columns from one rail to the next. */
const PITCH = 3;
const NARROW_PITCH = 2;
/** Texts are not cut to less, whatever the width. */
const NARROWEST = 20;

/** The lines of a picture with the rails that connect them. */
export function draw(rows: readonly Row[], style: TextStyle): string {
  const glyphs = glyphsOf(style);
  const rails = railsOf(rows);
  const columns = Math.max(0, ...[...rails.values()].map(({ column }) => column + 1));
  const beside = rows.map((_, at) => [...rails.values()].filter((rail) => isWithin(rail, at)));
  const widest = Math.max(
    0,
    ...rows.map(({ pieces }, at) => (beside[at]?.length === 0 ? 0 : widthOf(pieces))),
  );
  const pitch = widest + GAP + (columns - 1) * PITCH < style.width ? PITCH : NARROW_PITCH;
  const room = Math.max(NARROWEST, style.width - GAP - (columns - 1) * pitch - 1);
  const base = Math.min(widest, room) + GAP;
  const lines = rows.map((row, at) => {
    const passing = beside[at] ?? [];
    const most = passing.length > 0 ? room : Math.max(NARROWEST, style.width);
    const pieces = cut(row.pieces, most, glyphs.ellipsis);
    const own = rails.get(row.leaves?.to ?? row.node ?? "") ?? null;
    const columnOf = (rail: Rail): number => base + rail.column * pitch;
    return [...pieces, ...railPieces(row, { at, from: widthOf(pieces), own, passing, columnOf, glyphs })];
  });
  return lines.map((pieces) => `${painted(pieces, style.paint)}\n`).join("");
}

function widthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + truncatedWidth(text).width, 0);
}

/** The widest piece gives way: a condition, or who plays a role. */
function cut(pieces: readonly Piece[], room: number, ellipsis: string): readonly Piece[] {
  const over = widthOf(pieces) - room;
  if (over <= 0) return pieces;
  const widths = pieces.map((piece) => widthOf([piece]));
  const widest = widths.indexOf(Math.max(...widths));
  const limit = Math.max((widths[widest] ?? 0) - over, ellipsis.length + 1);
  return pieces.map((piece, at) => {
    if (at !== widest) return piece;
    const { index, ellipsed } = truncatedWidth(piece.text, { limit, ellipsis });
    return ellipsed ? { ...piece, text: `${piece.text.slice(0, index)}${ellipsis}` } : piece;
  });
}

type Spot = {
  readonly at: number;
  /** The column after the row's text. */
  readonly from: number;
  /** The rail that the row leads to, or that leads to the row. */
  readonly own: Rail | null;
  /** All rails of this row. */
  readonly passing: readonly Rail[];
  readonly columnOf: (rail: Rail) => number;
  readonly glyphs: Glyphs;
};

/** What stands right of a row's text: its line to a rail or from one, and the rails that pass. */
function railPieces(row: Row, { at, from, own, passing, columnOf, glyphs }: Spot): readonly Piece[] {
  const end = own === null ? -1 : columnOf(own);
  const tone = row.leaves?.tone ?? (own === null ? "plain" : toneAt(own, at));
  const byColumn = new Map(passing.map((rail) => [columnOf(rail), rail]));
  const last = Math.max(-1, ...byColumn.keys());
  // A line without a label is not interrupted.
  const space = row.leaves !== null && row.pieces.length === 1 ? -1 : 0;
  return Array.from({ length: Math.max(0, last + 1 - from) }, (_, offset): Piece => {
    const column = from + offset;
    const rail = byColumn.get(column);
    if (rail === undefined) {
      if (offset === space || column > end) return { text: " ", tone: "plain" };
      return { text: offset === 1 && row.leaves === null ? glyphs.into : glyphs.horizontal, tone };
    }
    const passed = toneAt(rail, at);
    if (column > end) return { text: glyphs.vertical, tone: passed };
    const shown = passed === "good" ? passed : tone;
    return { text: column < end ? glyphs.cross : endOf(rail, at, glyphs), tone: shown };
  });
}

function endOf({ top, bottom }: Rail, at: number, { join, upper, lower }: Glyphs): string {
  if (top < at && at < bottom) return join;
  return at === top ? upper : lower;
}

function toneAt({ walked }: Rail, at: number): Tone {
  return walked !== null && isWithin(walked, at) ? "good" : "dim";
}

/** Neighbours of one tone are painted together. */
function painted(pieces: readonly Piece[], paint: TextPaint): string {
  const runs: { text: string; readonly tone: Tone }[] = [];
  for (const { text, tone } of pieces) {
    const before = runs.at(-1);
    if (before?.tone === tone) before.text += text;
    else runs.push({ text, tone });
  }
  return runs
    .map(({ text, tone }) => (tone === "plain" ? text : paint[tone](text)))
    .join("")
    .trimEnd();
}

/** Rows of the picture, both included. */
type Span = { readonly top: number; readonly bottom: number };

/** A vertical line beside the picture that leads to the row of one node. */
type Rail = Span & {
  readonly column: number;
  /** The part of it that a thread has passed. */
  readonly walked: Span | null;
};

/**
 * One rail for each target, from the first to the last row that joins it, its own row included. Rails that do not overlap
 * share a column; short ones stand further left, so that fewer lines cross.
 */
function railsOf(rows: readonly Row[]): ReadonlyMap<string, Rail> {
  const rowOf = new Map(rows.flatMap(({ node }, at) => (node === null ? [] : [[node, at]])));
  const spans = new Map<string, Omit<Rail, "column">>();
  for (const [row, { leaves }] of rows.entries()) {
    if (leaves === null) continue;
    const own = rowOf.get(leaves.to) ?? 0;
    const known = spans.get(leaves.to) ?? { top: own, bottom: own, walked: null };
    const isWalked = leaves.tone === "good";
    const walked = isWalked ? around(known.walked ?? { top: own, bottom: own }, row) : known.walked;
    spans.set(leaves.to, { ...around(known, row), walked });
  }
  const rails = new Map<string, Rail>();
  for (const [target, span] of [...spans].sort(([, a], [, b]) => length(a) - length(b) || a.top - b.top)) {
    const taken = new Set(
      [...rails.values()].filter((rail) => overlaps(rail, span)).map(({ column }) => column),
    );
    let column = 0;
    while (taken.has(column)) column += 1;
    rails.set(target, { ...span, column });
  }
  return rails;
}

function isWithin(span: Span, row: number): boolean {
  return span.top <= row && row <= span.bottom;
}

function around({ top, bottom }: Span, row: number): Span {
  return { top: Math.min(top, row), bottom: Math.max(bottom, row) };
}

function length({ top, bottom }: Span): number {
  return bottom - top;
}

function overlaps(a: Span, b: Span): boolean {
  return a.top <= b.bottom && b.top <= a.bottom;
}
