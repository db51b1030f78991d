export { type WorkflowFilter, workflowFilter } from "./filter.js";
