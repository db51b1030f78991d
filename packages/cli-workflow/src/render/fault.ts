import { type Fault, hintOf, messageOf, reportOf } from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { escapeControls } from "./controls.js";
import type { ErrorFormat } from "./types.js";

/** What stands on stderr for a failure. Texts of agents may be in it, so terminal codes are taken out. */
export function renderFault(fault: Fault, format: ErrorFormat): string {
  if (format === "json") return `${escapeControls(JSON.stringify(reportOf(fault)))}\n`;
  return sanitizeTerminal(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}
