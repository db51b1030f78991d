export type { PromptStep, RolePromptInput } from "./history.js";
export { buildOutputFormatInstruction, exampleOf, outputExample, outputFields } from "./output-format.js";
export { buildResumePrompt, buildRolePrompt, renderAttempt, withinLimit } from "./role-prompt.js";
