export type { TextPaint, TextStyle } from "./canvas.js";
export { graphDot, graphMermaid } from "./languages.js";
export {
  type GraphEdge,
  type GraphModel,
  type GraphNode,
  type GraphPoint,
  type GraphSource,
  graphOf,
  type Path,
} from "./model.js";
export { GRAPH_PAGE_STYLE, graphSvg, type SvgOptions } from "./svg.js";
export { graphText } from "./text.js";
