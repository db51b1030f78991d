export { visibleTexts } from "./attachments.js";
export { reportOf, type ThreadSummary, threadSummary } from "./model.js";
export {
  type ListedSummary,
  type Overview,
  overviewHtml,
  type WorkflowSummary,
  workflowHtml,
} from "./overview.js";
export { type ReportOptions, reportBody, reportHtml, uiHtml } from "./page.js";
export type {
  ChildFacts,
  DifferentLine,
  DiffPart,
  DocumentDifference,
  FailureFacts,
  JsonValue,
  OutputField,
  ReportAnswer,
  ReportChild,
  ReportStep,
  ReportTransition,
  RoleCost,
  Span,
  StepFacts,
  StepFile,
  StepText,
  ThreadFacts,
  ThreadReport,
} from "./types.js";
