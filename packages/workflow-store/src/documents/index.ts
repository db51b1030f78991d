export { parseYamlDocument } from "./parse.js";
export type { LocalWorkflow, LocatedYaml, WorkflowCheck, WorkflowFile } from "./types.js";
export {
  findLocalWorkflow,
  findLocalWorkflows,
  readWorkflowFile,
  readWorkflowText,
} from "./workflow-file.js";
