export { findLocalWorkflow, findLocalWorkflows } from "./local.js";
export { isWorkflowName } from "./names.js";
export { parseYamlDocument } from "./parse.js";
export type { LocalWorkflow, LocatedYaml, WorkflowCheck, WorkflowFile } from "./types.js";
export { readWorkflowFile } from "./workflow-file.js";
