export { differenceHtml, type Names } from "./html.js";
export { differenceSummary, otherName, type Section, sectionsOf } from "./summary.js";
export { differenceText, type TextLimits } from "./text.js";
