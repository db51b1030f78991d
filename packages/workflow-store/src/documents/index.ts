export { parseYamlDocument } from "./parse.js";
export type { LocalWorkflow, LocatedYaml, WorkflowCheck, WorkflowFile } from "./types.js";
export { findLocalWorkflow, findLocalWorkflows, readWorkflowFile } from "./workflow-file.js";
export { isWorkflowName } from "./workflow-shape.js";
