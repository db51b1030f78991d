export { graphSvg, type SvgOptions } from "./draw.js";
export { GRAPH_PAGE_STYLE, GRAPH_STYLE } from "./style.js";
