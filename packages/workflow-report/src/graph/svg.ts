import {
  LABEL_LINE,
  LABEL_SIZE,
  layoutOf,
  NAME_SIZE,
  NOTE_SIZE,
  type PlacedEdge,
  type PlacedNode,
  type Point,
  shortened,
  textWidth,
} from "./layout.js";
import type { GraphEdge, GraphModel } from "./model.js";
import { conditionsOf, edgesByNode, isList, oneLine, stateAt, timesOf } from "./words.js";

export type SvgOptions = {
  /** Begins every id of the picture: of two pictures in one page each has its own. */
  readonly id: string;
  /** Whether the picture brings its style along; a page with several has GRAPH_STYLE once. */
  readonly style: boolean;
};

/** The graph as an SVG document, for light and for dark: no script, no font and no picture from elsewhere. */
export function graphSvg(model: GraphModel, { id, style }: SvgOptions): string {
  const { width, height, content } = isList(model) ? listed(model) : pictured(model, id);
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="uwf-graph" ${size} role="img" aria-labelledby="${id}-title ${id}-desc">`,
    `<title id="${id}-title">${escaped(`Graph of ${oneLine(model.name)}`)}</title>`,
    `<desc id="${id}-desc">${escaped(descriptionOf(model))}</desc>`,
    ...(style ? [`<style>${GRAPH_STYLE}</style>`] : []),
    `<rect class="page" width="${width}" height="${height}" rx="12"/>`,
    ...content,
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

type Content = { readonly width: number; readonly height: number; readonly content: readonly string[] };

function pictured(model: GraphModel, id: string): Content {
  const { width, height, nodes, edges } = layoutOf(model);
  const content = [
    `<defs>${["", "-taken", "-untaken"].map((kind) => marker(id, kind)).join("")}</defs>`,
    // Labels stand above all lines, and what was taken above what was not.
    ...inFront(edges).map((edge) => line(edge, id)),
    ...edges.flatMap((edge) => label(edge)),
    ...nodes.map((node) => box(node, stateAt(model, node.node))),
  ];
  return { width, height, content };
}

const MARGIN = 24;
const LINE = 20;
const LONGEST = 120;

/** Every node with its ways, for more of them than can be followed in a picture. */
function listed(model: GraphModel): Content {
  const edgesFrom = edgesByNode(model);
  const lines = model.nodes.flatMap(({ name, visits }) => [
    { text: [oneLine(name), ...timesOf(visits)].join(" "), kind: "name", x: MARGIN, size: NAME_SIZE },
    ...edgesFrom(name).map((edge) => {
      const conditions = conditionsOf(edge).join(" or ");
      const words = [
        `→ ${oneLine(edge.to)}`,
        ...(conditions === "" ? [] : [conditions]),
        ...timesOf(edge.taken),
      ];
      return { text: shortened(words.join("  "), LONGEST), kind: "note", x: MARGIN + 20, size: LABEL_SIZE };
    }),
  ]);
  return {
    width: lines.reduce((most, { text, x, size }) => Math.max(most, x + textWidth(text, size)), 0) + MARGIN,
    height: 2 * MARGIN + lines.length * LINE,
    content: lines.map(({ text, kind, x }, at) =>
      textAt(text, { x, y: MARGIN + (at + 0.5) * LINE }, `${kind} first`),
    ),
  };
}

/** For who cannot see the picture. */
function descriptionOf({ description, edges }: GraphModel): string {
  return [oneLine(description), ...edges.map((edge) => `${sentence(edge)}.`)]
    .filter((text) => text !== "")
    .join("\n");
}

function sentence(edge: GraphEdge): string {
  const words = conditionsOf(edge).join(" or ");
  const taken = edge.taken === null ? "" : `, ${takenWords(edge.taken)}`;
  return `${oneLine(edge.from)} to ${oneLine(edge.to)}${words === "" ? "" : `: ${words}`}${taken}`;
}

function takenWords(times: number): string {
  if (times === 0) return "not taken";
  return times === 1 ? "taken once" : `taken ${times} times`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text of an element or an attribute. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

function marker(id: string, kind: string): string {
  const attributes = `viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"`;
  return `<marker id="${id}-head${kind}" ${attributes}><path class="head${kind}" d="M0,0.5L8,4L0,7.5L2,4z"/></marker>`;
}

function inFront(edges: readonly PlacedEdge[]): readonly PlacedEdge[] {
  return edges.toSorted((a, b) => (a.edge.taken ?? 0) - (b.edge.taken ?? 0));
}

function line({ edge, points, smooth }: PlacedEdge, id: string): string {
  const kind = kindOf(edge);
  const path = smooth ? smoothPath(points) : roundedPath(points);
  const notes = edge.transitions.flatMap(({ condition, description, expression }) =>
    condition === null
      ? []
      : [`${condition}: ${[description, expression].filter((text) => text).join("\n")}`],
  );
  const title = escaped([sentence(edge), ...notes.map(oneLine)].join("\n"));
  const head = `marker-end="url(#${id}-head${kind === "" ? "" : `-${kind}`})"`;
  return `<g class="${classesOf(edge)}"><title>${title}</title><path class="line" d="${path}" ${head}/></g>`;
}

function label({ edge, label: placed }: PlacedEdge): readonly string[] {
  if (placed === null) return [];
  const { x, y, width, height, lines } = placed;
  const first = y - ((lines.length - 1) * LABEL_LINE) / 2;
  const texts = lines.map((text, at) => textAt(text, { x, y: first + at * LABEL_LINE }, null));
  const back = rect({ x, y, width, height }, 6, null);
  return [`<g class="label ${classesOf(edge)}">${back}${texts.join("")}</g>`];
}

function kindOf({ taken }: GraphEdge): "" | "taken" | "untaken" {
  if (taken === null) return "";
  return taken === 0 ? "untaken" : "taken";
}

function classesOf(edge: GraphEdge): string {
  const unknown = edge.transitions.length === 0 ? "unknown" : "";
  return ["edge", kindOf(edge), unknown].filter((text) => text !== "").join(" ");
}

function box({ node, name, note, x, y, width, height }: PlacedNode, state: string | null): string {
  const { kind, known, visits, description } = node;
  const seen = visits === null ? "" : visits === 0 ? "unseen" : "seen";
  const classes = [kind, seen, known ? "" : "unknown", state === null ? "" : `here ${state}`];
  const radius = kind === "role" ? 9 : height / 2;
  const nameAt = { x, y: note === null ? y : y - 8 };
  const title =
    description === null || description === "" ? "" : `<title>${escaped(oneLine(description))}</title>`;
  const inner = { x, y, width: width - 6, height: height - 6 };
  const parts = [
    title,
    rect({ x, y, width, height }, radius, "box"),
    // An end has two lines around it, as in a diagram of states.
    kind === "end" || kind === "fail" ? rect(inner, inner.height / 2, "box") : "",
    textAt(name, nameAt, "name"),
    note === null ? "" : textAt(note, { x, y: y + 11 }, "note"),
    visits === null || visits < 1 || kind === "start"
      ? ""
      : badge(`×${visits}`, { x: x + width / 2 - 6, y: y - height / 2 }, ""),
    state === null ? "" : badge(state, { x: x - width / 2 + 22, y: y - height / 2 }, " state"),
  ];
  return `<g class="${classes.filter((text) => text !== "").join(" ")}">${parts.join("")}</g>`;
}

type Centre = { readonly x: number; readonly y: number };

function badge(text: string, { x, y }: Centre, more: string): string {
  const width = textWidth(text, NOTE_SIZE) + 12;
  return `<g class="badge${more}">${rect({ x, y, width, height: 17 }, 8.5, null)}${textAt(text, { x, y }, null)}</g>`;
}

function rect(
  { x, y, width, height }: Centre & { readonly width: number; readonly height: number },
  radius: number,
  kind: string | null,
): string {
  const place = `x="${number(x - width / 2)}" y="${number(y - height / 2)}" width="${number(width)}" height="${number(height)}"`;
  return `<rect${classOf(kind)} ${place} rx="${number(radius)}"/>`;
}

function textAt(text: string, { x, y }: Centre, kind: string | null): string {
  return `<text${classOf(kind)} x="${number(x)}" y="${number(y)}">${escaped(text)}</text>`;
}

function classOf(kind: string | null): string {
  return kind === null ? "" : ` class="${kind}"`;
}

/** Of the corners of back edges. */
const RADIUS = 10;

/** The `d` of a curve that starts and ends at the outer points and is drawn towards the others (a uniform B-spline). */
function smoothPath(points: readonly Point[]): string {
  const [first, second] = points;
  const last = points.at(-1);
  if (first === undefined || second === undefined || last === undefined) return "";
  if (points.length === 2) return `M${at(first)}L${at(second)}`;
  const parts = [`M${at(first)}`, `L${at(mix([first, 5], [second, 1]))}`];
  // The last point counts three times, so that the curve ends there.
  const through = [...points, last];
  for (let index = 2; index < through.length; index += 1) {
    const [a, b, c] = [through[index - 2] ?? last, through[index - 1] ?? last, through[index] ?? last];
    const end = mix([a, 1], [b, 4], [c, 1]);
    parts.push(`C${at(mix([a, 2], [b, 1]))} ${at(mix([a, 1], [b, 2]))} ${at(end)}`);
  }
  return `${parts.join("")}L${at(last)}`;
}

/** The `d` of straight lines with rounded corners. */
function roundedPath(points: readonly Point[]): string {
  const parts = points.map((point, index) => {
    const before = points[index - 1];
    const after = points[index + 1];
    if (before === undefined) return `M${at(point)}`;
    if (after === undefined) return `L${at(point)}`;
    const radius = Math.min(RADIUS, distance(before, point) / 2, distance(point, after) / 2);
    return `L${at(towards(point, before, radius))}Q${at(point)} ${at(towards(point, after, radius))}`;
  });
  return parts.join("");
}

function mix(...weighted: readonly (readonly [Point, number])[]): Point {
  const whole = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  return {
    x: weighted.reduce((sum, [{ x }, weight]) => sum + x * weight, 0) / whole,
    y: weighted.reduce((sum, [{ y }, weight]) => sum + y * weight, 0) / whole,
  };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function towards(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to);
  return whole === 0 ? from : mix([from, whole - length], [to, length]);
}

function at({ x, y }: Point): string {
  return `${number(x)},${number(y)}`;
}

/** A tenth of a pixel is enough, and the same on every machine. */
function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

// Every text stands out from what is behind it by at least 4.5:1, every line that matters by 3:1.

/** In light and in dark. */
const COLOURS = {
  page: ["#ffffff", "#0d1117"],
  node: ["#f6f8fa", "#161b22"],
  line: ["#818b98", "#7d8590"],
  text: ["#1f2328", "#e6edf3"],
  quiet: ["#59636e", "#9198a1"],
  faint: ["#c8cfd7", "#3d444d"],
  path: ["#0969da", "#4493f8"],
  seen: ["#ddf4ff", "#12263f"],
  good: ["#1a7f37", "#3fb950"],
  bad: ["#cf222e", "#f85149"],
  warn: ["#9a6700", "#d29922"],
} as const;

const SHAPES = `.uwf-graph{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
.uwf-graph text{text-anchor:middle;dominant-baseline:central}
.uwf-graph text.first{text-anchor:start}
.uwf-graph .name{font-size:${NAME_SIZE}px;font-weight:600}
.uwf-graph .note,.uwf-graph .badge text{font-size:${NOTE_SIZE}px}
.uwf-graph .badge text{font-weight:600}
.uwf-graph .label text{font-size:${LABEL_SIZE}px}
.uwf-graph .box{stroke-width:1.25}
.uwf-graph .seen .box,.uwf-graph .here .box{stroke-width:1.75}
.uwf-graph .line{fill:none;stroke-width:1.25}
.uwf-graph .taken .line{stroke-width:2}
.uwf-graph .unknown .box,.uwf-graph .unknown .line{stroke-dasharray:4 3}
`;

/** Colours are written out, since not every program that shows SVG knows CSS variables. */
const GRAPH_STYLE = `${SHAPES}${rules(([light]) => light)}
@media (prefers-color-scheme:dark){
${rules(([, dark]) => dark)}
}
`;

/** The same for a page that chooses between light and dark by its `color-scheme`. */
export const GRAPH_PAGE_STYLE = `${SHAPES}${rules(([light, dark]) => `light-dark(${light},${dark})`)}
`;

function rules(colour: (both: readonly [string, string]) => string): string {
  const colours = Object.entries(COLOURS).map(([name, both]) => [name, colour(both)]);
  const { page, node, line, text, quiet, faint, path, seen, good, bad, warn } = Object.fromEntries(
    colours,
  ) as Record<keyof typeof COLOURS, string>;
  return [
    [".page,.uwf-graph .label rect", `fill:${page}`],
    [".box", `fill:${node};stroke:${line}`],
    [".name", `fill:${text}`],
    [".note,.uwf-graph .label text", `fill:${quiet}`],
    [".line", `stroke:${line}`],
    [".head", `fill:${line}`],
    [".end .box", `stroke:${good}`],
    [".end .name", `fill:${good}`],
    [".fail .box", `stroke:${bad}`],
    [".fail .name", `fill:${bad}`],
    [".unseen .box", `stroke:${faint}`],
    [".unseen .name", `fill:${quiet}`],
    [".untaken .line", `stroke:${faint}`],
    [".head-untaken", `fill:${faint}`],
    [".taken .line", `stroke:${path}`],
    [".taken text", `fill:${path}`],
    [".head-taken", `fill:${path}`],
    [".seen.role .box,.uwf-graph .seen.start .box", `fill:${seen};stroke:${path}`],
    [".here .box", `stroke:${path}`],
    [".waiting .box", `stroke:${warn}`],
    [".stuck .box,.uwf-graph .killed .box", `stroke:${bad}`],
    [".here .name", `fill:${text}`],
    [".badge rect", `fill:${path}`],
    [".badge text", `fill:${page}`],
    [".waiting .state rect", `fill:${warn}`],
    [".stuck .state rect,.uwf-graph .killed .state rect", `fill:${bad}`],
    [".unknown .note", `fill:${warn}`],
  ]
    .map(([selector, declarations]) => `.uwf-graph ${selector}{${declarations}}`)
    .join("\n");
}
