import type { Subject } from "../types.js";
import { acp } from "./acp.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";

/** The real agents, each under one of ours, in the order in which they run. */
export const SUBJECTS: readonly Subject[] = [pi, opencode, acp, gemini, codex, claude];
