export {
  changedAt,
  findLocalConfig,
  findLocalWorkflow,
  findLocalWorkflows,
  projectFolders,
} from "./local.js";
export { parseYamlDocument } from "./parse.js";
export type { InspectedWorkflow, WorkflowCheck, WorkflowFile } from "./types.js";
export { inspectWorkflowFile, inspectWorkflowText, readWorkflowFile } from "./workflow-file.js";
export { META_PLACE, nameOfFile, WORKFLOW } from "./workflow-shape.js";
