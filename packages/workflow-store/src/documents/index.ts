export { findLocalConfig, findLocalWorkflow, findLocalWorkflows } from "./local.js";
export { parseYamlDocument } from "./parse.js";
export type { LocalWorkflow, LocatedYaml, WorkflowCheck, WorkflowFile } from "./types.js";
export { readWorkflowFile, readWorkflowText } from "./workflow-file.js";
