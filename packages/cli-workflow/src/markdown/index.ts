export { fitNewest } from "./fit.js";
export { renderHeader, renderOmitted, renderStep } from "./markdown.js";
export type { HeaderView, StepView } from "./types.js";
