import { type Fault, hintOf, messageOf, reportOf } from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";

/** `error[CODE]: …` and `hint: …`, or one JSON object. Replies may be in it, so terminal codes are taken out. */
export function renderFault(fault: Fault, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(reportOf(fault))}\n`;
  return sanitizeTerminal(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}
