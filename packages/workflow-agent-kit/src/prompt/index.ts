export { buildOutputFormatInstruction, exampleOf, outputExample, outputFields } from "./output-format.js";
export { buildResumePrompt, buildRolePrompt, renderAttempt, withinLimit } from "./role-prompt.js";
export type { PromptStep, RolePromptInput } from "./types.js";
