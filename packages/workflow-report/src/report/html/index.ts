export {
  type ListedSummary,
  type Overview,
  overviewHtml,
  type WorkflowSummary,
  workflowHtml,
} from "./overview.js";
export { type ReportOptions, type ReportParts, reportHtml, reportParts } from "./page.js";
export { uiHtml } from "./ui.js";
