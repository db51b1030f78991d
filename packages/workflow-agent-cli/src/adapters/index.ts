export { claude } from "./claude.js";
export { codex } from "./codex.js";
export { cursor } from "./cursor.js";
export { gemini } from "./gemini.js";
export { hermes } from "./hermes.js";
export { opencode } from "./opencode.js";
export { pi } from "./pi.js";
export type {
  Adapter,
  Call,
  KeptSession,
  Login,
  LoginContext,
  Request,
  TriedVersion,
} from "./shared.js";
