export { renderAttempt } from "./attempt.js";
export { withinLimit } from "./limit.js";
export { buildOutputFormatInstruction } from "./output-format.js";
export { buildResumePrompt } from "./resume-prompt.js";
export { buildRolePrompt } from "./role-prompt.js";
export type { PromptStep, RolePromptInput } from "./types.js";
