export { explainReasons } from "./decisions.js";
export { type Documents, openDocuments } from "./documents.js";
export { openReading, type Reading, threadFacts } from "./facts.js";
export { type MadePage, openPageFolder, type PageFolder, pageOf } from "./folder.js";
export { ofOneThread } from "./of-one-thread.js";
export { detailTexts } from "./steps.js";
export { workflowSummaries } from "./workflows.js";
