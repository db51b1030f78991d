import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { ErrorFormat } from "./types.js";

/**
 * How failures are printed; looked up before parsing, because the line itself may be the failure. A wrong value on the
 * line is the parser's to refuse; one in the environment nobody else would see, and a script that relies on JSON would
 * be given text.
 */
export function errorFormatOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Result<ErrorFormat, Fault> {
  const index = argv.lastIndexOf("--error-format");
  const given =
    index === -1 ? argv.find((word) => word.startsWith("--error-format="))?.slice(15) : argv[index + 1];
  if (given !== undefined) return ok(given === "json" ? "json" : "text");
  const usual = env[ENV.errorFormat] || "text";
  return usual === "json" || usual === "text" ? ok(usual) : refused(usual);
}

function refused(value: string): Result<never, Fault> {
  const reason = `${ENV.errorFormat} is ${JSON.stringify(value)}, it must be text or json`;
  return err(fault("USAGE", { reason, usage: `set ${ENV.errorFormat} to text or json, or unset it` }));
}
