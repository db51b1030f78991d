export { differenceHtml, type Names } from "./html.js";
export { type DifferenceLine, differenceLines } from "./lines.js";
export { differenceSummary } from "./summary.js";
export { differenceText, type TextLimits } from "./text.js";
