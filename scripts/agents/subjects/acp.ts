import type { Subject } from "../types.js";
import { opencode } from "./opencode.js";

/** opencode through uwf-acp: the same program over the Agent Client Protocol, which tells tokens of the last call only. */
export const acp: Subject = {
  ...opencode,
  name: "opencode through uwf-acp",
  agent: { package: "workflow-agent-acp", command: "uwf-acp", args: ["--", "opencode", "acp"] },
  tellsUsage: false,
};
