import { ENV } from "@uncaged/workflow-protocol";
import type { ErrorFormat } from "./types.js";

/** How failures are printed; looked up before parsing, because the line itself may be the failure. */
export function errorFormatOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ErrorFormat {
  const index = argv.lastIndexOf("--error-format");
  const value =
    index === -1 ? argv.find((word) => word.startsWith("--error-format="))?.slice(15) : argv[index + 1];
  return (value ?? env[ENV.errorFormat]) === "json" ? "json" : "text";
}
