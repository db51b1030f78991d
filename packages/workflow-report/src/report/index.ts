export {
  type ListedSummary,
  type Overview,
  overviewHtml,
  type ReportOptions,
  reportBody,
  reportHtml,
  uiHtml,
  visibleTexts,
  type WorkflowSummary,
  workflowHtml,
} from "./html/index.js";
export { reportOf } from "./model.js";
export { type ThreadSummary, threadSummary } from "./summary.js";
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
