import { LABEL_SIZE, NAME_SIZE, NOTE_SIZE } from "./labels.js";

type Colours = Readonly<
  Record<
    "page" | "node" | "line" | "text" | "quiet" | "faint" | "path" | "seen" | "good" | "bad" | "warn",
    string
  >
>;

// Every text stands out from what is behind it by at least 4.5:1, every line that matters by 3:1.

const LIGHT: Colours = {
  page: "#ffffff",
  node: "#f6f8fa",
  line: "#818b98",
  text: "#1f2328",
  quiet: "#59636e",
  faint: "#c8cfd7",
  path: "#0969da",
  seen: "#ddf4ff",
  good: "#1a7f37",
  bad: "#cf222e",
  warn: "#9a6700",
};

const DARK: Colours = {
  page: "#0d1117",
  node: "#161b22",
  line: "#7d8590",
  text: "#e6edf3",
  quiet: "#9198a1",
  faint: "#3d444d",
  path: "#4493f8",
  seen: "#12263f",
  good: "#3fb950",
  bad: "#f85149",
  warn: "#d29922",
};

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
export const GRAPH_STYLE = `${SHAPES}${rules(LIGHT)}
@media (prefers-color-scheme:dark){
${rules(DARK)}
}
`;

/** The same for a page that chooses between light and dark by its `color-scheme`. */
export const GRAPH_PAGE_STYLE = `${SHAPES}${rules(
  Object.fromEntries(
    Object.entries(LIGHT).map(([name, light]) => [
      name,
      `light-dark(${light},${DARK[name as keyof Colours]})`,
    ]),
  ) as Colours,
)}
`;

function rules(colours: Colours): string {
  const { page, node, line, text, quiet, faint, path, seen, good, bad, warn } = colours;
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
