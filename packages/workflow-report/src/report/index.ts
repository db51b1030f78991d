export { type ReportOptions, reportHtml } from "./html/index.js";
export { reportOf } from "./model.js";
export type {
  ChildFacts,
  DiffPart,
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
  StepText,
  ThreadFacts,
  ThreadReport,
} from "./types.js";
