export { visibleTexts } from "./bulk.js";
export {
  type ListedSummary,
  type Overview,
  overviewHtml,
  type WorkflowSummary,
  workflowHtml,
} from "./overview.js";
export { type ReportOptions, reportBody, reportHtml } from "./page.js";
export { uiHtml } from "./shell.js";
