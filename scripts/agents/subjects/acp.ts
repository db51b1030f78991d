import type { Subject } from "../types.js";
import { OPENCODE_ENV, opencode } from "./opencode.js";

/**
 * opencode through uwf-acp: the same program over the Agent Client Protocol, which tells tokens of the last call only. It
 * asks before it runs anything: a rule has to answer, or nothing runs.
 */
export const acp: Subject = {
  ...opencode,
  name: "opencode through uwf-acp",
  agent: { package: "workflow-agent-acp", command: "uwf-acp", args: ["--", "opencode", "acp"] },
  env: { ...OPENCODE_ENV, OPENCODE_PERMISSION: JSON.stringify({ bash: "ask", edit: "ask" }) },
  tellsUsage: false,
};
