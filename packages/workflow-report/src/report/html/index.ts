export {
  type ListedSummary,
  type Overview,
  overviewHtml,
  type WorkflowSummary,
  workflowHtml,
} from "./overview.js";
export { type ReportOptions, reportHtml } from "./page.js";
