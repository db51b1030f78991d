export { findLocalWorkflow, findLocalWorkflows } from "./local.js";
export { isWorkflowName } from "./names.js";
export { parseYamlDocument } from "./parse.js";
export { readOptionalText, readText } from "./read-text.js";
export type { LocalWorkflow, LocatedYaml, WorkflowCheck, WorkflowFile } from "./types.js";
export { readWorkflowFile, readWorkflowText } from "./workflow-file.js";
