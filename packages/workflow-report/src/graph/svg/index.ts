export { graphSvg, type SvgOptions } from "./draw.js";
export { GRAPH_STYLE } from "./style.js";
