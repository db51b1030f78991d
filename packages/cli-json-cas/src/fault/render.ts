import { hintOf, isRetryable, messageOf } from "./table.js";
import type { CliFault } from "./types.js";

export type ErrorFormat = "text" | "json";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A sentence for a person without the control characters of whatever it quotes. */
export function printable(text: string): string {
  return text.replace(CONTROL, "");
}

/** What stands on stderr for a failure. Values from the store may be in it: nothing of them reaches the terminal raw. */
export function renderFault(fault: CliFault, format: ErrorFormat): string {
  if (format === "json") return `${escapeControls(JSON.stringify(reportOf(fault)))}\n`;
  return printable(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}

/** JSON with DEL and the C1 controls escaped: `JSON.stringify` leaves them, and a terminal may obey them. */
export function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function reportOf(fault: CliFault) {
  const { code, ...data } = fault;
  return { code, message: messageOf(fault), hint: hintOf(fault), retryable: isRetryable(fault), data };
}

/** How failures are printed; looked up before parsing, because the line itself may be the failure. */
export function errorFormatOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ErrorFormat {
  const index = argv.lastIndexOf("--error-format");
  const joined = argv.findLast((word) => word.startsWith("--error-format="))?.slice("--error-format=".length);
  const value = index === -1 ? joined : argv[index + 1];
  return (value ?? env.UWF_ERROR_FORMAT) === "json" ? "json" : "text";
}
