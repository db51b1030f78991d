export type { TextPaint, TextStyle } from "./canvas.js";
export { graphDot } from "./dot.js";
export { graphMermaid } from "./mermaid.js";
export { graphOf } from "./model.js";
export { GRAPH_PAGE_STYLE, GRAPH_STYLE, graphSvg, type SvgOptions } from "./svg/index.js";
export { graphText } from "./text.js";
export type { GraphEdge, GraphModel, GraphNode, GraphPoint, GraphSource, Path } from "./types.js";
