export {
  changedAt,
  findLocalConfig,
  findLocalWorkflow,
  findLocalWorkflows,
  projectFolders,
} from "./local.js";
export { parseYamlDocument } from "./parse.js";
export {
  type InspectedWorkflow,
  inspectWorkflowFile,
  inspectWorkflowText,
  readWorkflowFile,
  type WorkflowCheck,
  type WorkflowFile,
} from "./workflow-file.js";
export { META_PLACE, nameOfFile, WORKFLOW } from "./workflow-shape.js";
