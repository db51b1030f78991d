import { LABEL_SIZE, NAME_SIZE, NOTE_SIZE } from "./layout.js";

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
export const GRAPH_STYLE = `${SHAPES}${rules(([light]) => light)}
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
