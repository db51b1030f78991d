export { END, FAIL, START } from "./names.js";
export type {
  AuthoredRole,
  AuthoredWorkflow,
  ConditionDefinition,
  RoleDefinition,
  Transition,
  WorkflowPayload,
} from "./types.js";
