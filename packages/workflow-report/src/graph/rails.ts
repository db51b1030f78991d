/** Rows of the picture, both included. */
export type Span = { readonly top: number; readonly bottom: number };

/** A vertical line beside the picture that leads to the row of one node. */
export type Rail = Span & {
  readonly column: number;
  /** The part of it that a thread has passed. */
  readonly walked: Span | null;
};

/** A row whose line joins the rail of `target`. */
export type Joint = { readonly target: string; readonly row: number; readonly walked: boolean };

/**
 * One rail for each target, from the first to the last row that joins it, its own row included. Rails that do not overlap
 * share a column; short ones stand further left, so that fewer lines cross.
 */
export function railsOf(
  joints: readonly Joint[],
  rowOf: (target: string) => number,
): ReadonlyMap<string, Rail> {
  const spans = new Map<string, Omit<Rail, "column">>();
  for (const { target, row, walked } of joints) {
    const own = rowOf(target);
    const known = spans.get(target) ?? { top: own, bottom: own, walked: null };
    const passed = walked ? around(known.walked ?? { top: own, bottom: own }, row) : known.walked;
    spans.set(target, { ...around(known, row), walked: passed });
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

export function isWithin(span: Span, row: number): boolean {
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
