export { explainReasons } from "./decisions.js";
export { type Documents, openDocuments } from "./documents.js";
export { findGraphPoint, openReading, type Reading, threadFacts } from "./facts.js";
export {
  type MadePage,
  ofOneThread,
  openPageFolder,
  type PageFolder,
  pageOf,
  workflowSummaries,
} from "./folder.js";
export { detailTexts } from "./steps.js";
