import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { writeStderr, writeStdout } from "@uncaged/json-cas-fs";
import { ENV } from "@uncaged/workflow-util";
import { main as mainOf } from "../tool.js";

/** From this package's own package.json, two folders above both this source and the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}

export function main(): void {
  const { env } = process;
  // 1 says that the documents differ: a program that just stops must not say that.
  process.exitCode = 70;
  const screen = isatty(1)
    ? {
        width: process.stdout.columns || 80,
        // https://no-color.org: any value but an empty one counts.
        colour: !env[ENV.noColor] && env.TERM !== "dumb",
      }
    : null;
  process.exitCode = mainOf(process.argv.slice(2), {
    env,
    version: ownVersion(),
    screen,
    write: (bytes) => void writeStdout(bytes),
    writeError: writeStderr,
  });
}
