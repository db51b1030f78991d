import { duration } from "@uncaged/workflow-util";
import { type Html, html } from "./html.js";
import type { Span, ThreadReport } from "./types.js";

// Sizes in px.
const LABEL = 150;
const WIDTH = 940;
const LANE = 24;
const BAR = 14;
const TOP = 8;
/** A gap in which nothing worked, however long it was. */
const GAP = 14;
/** The least that can be seen, and hit. */
const NARROWEST = 3;
/** By which a bar must reach beyond the one before it. */
const LEAST = 1;

/** A lane for each role: when its agents or threads worked, failed, or a person was asked. Gaps are shortened. */
export function timelineOf({ spans, roles, startedAt }: ThreadReport, prefix: string): Html | null {
  if (spans.length === 0) return null;
  const names = roles.map(({ role }) => role).filter((role) => spans.some((span) => span.role === role));
  const lanes = spans.some(({ role }) => !names.includes(role)) ? [...names, ""] : names;
  const axis = axisOf(spans, startedAt);
  const height = TOP + lanes.length * LANE + TOP;
  return html`<svg class="timeline" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="When each role worked">
${axis.gaps.map(
  (gap) =>
    html`<g class="gap"><title>nothing worked for ${duration(gap.to - gap.from)}</title><rect x="${px(gap.x)}" y="0" width="${px(gap.width)}" height="${height}"/></g>
`,
)}${lanes.map(
  (role, at) =>
    html`<text x="${LABEL - 10}" y="${TOP + at * LANE + LANE / 2}">${role === "" ? "no role" : role}</text><line x1="${LABEL}" x2="${WIDTH}" y1="${TOP + (at + 1) * LANE}" y2="${TOP + (at + 1) * LANE}"/>
`,
)}${distinct(spans, axis).map((span) => bar(span, Math.max(0, lanes.indexOf(span.role)), axis, prefix))}</svg>`;
}

/** Without those that the bar before them in the same lane covers: ten thousand bars have no room of their own. */
function distinct(spans: readonly Span[], { xOf }: Axis): readonly Span[] {
  const covered = new Map<string, number>();
  return spans.filter(({ role, kind, from, to }) => {
    const lane = `${kind} ${role}`;
    const right = Math.max(xOf(to), xOf(from) + NARROWEST);
    if (right < (covered.get(lane) ?? 0) + LEAST) return false;
    covered.set(lane, right);
    return true;
  });
}

function bar(span: Span, lane: number, { xOf }: Axis, prefix: string): Html {
  const x = xOf(span.from);
  const width = Math.max(NARROWEST, xOf(span.to) - x);
  const words = `${KINDS[span.kind]} ${duration(span.to - span.from)}`;
  const rect = html`<rect class="${span.kind}" x="${px(Math.min(x, WIDTH - NARROWEST))}" y="${TOP + lane * LANE + (LANE - BAR) / 2}" width="${px(width)}" height="${BAR}" rx="2"><title>${span.role}, ${span.step === null ? "not a step yet" : `step ${span.step}`}: ${words}</title></rect>`;
  return span.step === null
    ? html`${rect}
`
    : html`<a href="#${prefix}s${span.step}">${rect}</a>
`;
}

const KINDS = {
  step: "worked for",
  threads: "its threads took",
  failure: "failed after",
  answer: "answered after",
} as const;

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

type Stretch = { readonly from: number; readonly to: number };

/** A piece of the axis, in which time runs evenly. */
type Piece = Stretch & { readonly isGap: boolean; readonly x: number; readonly width: number };

type Axis = { readonly xOf: (time: number) => number; readonly gaps: readonly Piece[] };

/** Time in which something worked has its length; what lies between is a gap. The spans are sorted. */
function axisOf(spans: readonly Span[], begin: number): Axis {
  const end = spans.reduce((latest, { to }) => Math.max(latest, to), begin);
  const work = merged(spans.filter(({ kind }) => kind !== "answer"));
  const breaks = gapsBetween([{ from: begin, to: begin }, ...work, { from: end, to: end }]);
  const room = WIDTH - LABEL;
  const gapWidth = breaks.length === 0 ? 0 : Math.min(GAP, room / 3 / breaks.length);
  const worked = work.reduce((sum, { from, to }) => sum + to - from, 0);
  const scale = worked === 0 ? 0 : (room - breaks.length * gapWidth) / worked;
  const stretches = [
    ...work.map((stretch) => ({ ...stretch, isGap: false, width: (stretch.to - stretch.from) * scale })),
    ...breaks.map((stretch) => ({ ...stretch, isGap: true, width: gapWidth })),
  ].sort((a, b) => a.from - b.from || a.to - b.to);
  const pieces: Piece[] = [];
  for (const stretch of stretches) {
    const before = pieces.at(-1);
    pieces.push({ ...stretch, x: before === undefined ? LABEL : before.x + before.width });
  }
  return { xOf: (time) => placeIn(pieces, time), gaps: pieces.filter(({ isGap }) => isGap) };
}

/** By halves: a long thread has thousands of pieces. */
function placeIn(pieces: readonly Piece[], time: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.to ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low];
  if (piece === undefined) return LABEL;
  const { from, to, x, width } = piece;
  return x + (to === from ? 0 : Math.min(Math.max((time - from) / (to - from), 0), 1)) * width;
}

/** How much of this time is in none of the spans, in ms. */
export function idleMs(spans: readonly Span[], { from, to }: Stretch): number {
  return merged(spans).reduce((left, span) => left - (span.to - span.from), to - from);
}

/** Overlapping and touching stretches as one. */
function merged(spans: readonly Stretch[]): readonly Stretch[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of spans) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

function gapsBetween(stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.flatMap(({ to }, at) => {
    const next = stretches[at + 1];
    return next !== undefined && next.from > to ? [{ from: to, to: next.from }] : [];
  });
}
