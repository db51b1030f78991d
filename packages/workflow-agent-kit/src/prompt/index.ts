export { buildOutputFormatInstruction } from "./output-format.js";
export { buildRolePrompt } from "./role-prompt.js";
export type { PromptStep, RolePromptInput } from "./types.js";
