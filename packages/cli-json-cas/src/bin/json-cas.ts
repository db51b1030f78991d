import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readWithin, writeStderr, writeStdout } from "@uncaged/json-cas-fs";
import { main as mainOf } from "../main.js";

/** From this package's own package.json, two folders above both this source and the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}

/** To stdout, until its reader is gone. */
function untilClosed(content: string | Uint8Array): void {
  if (isRead) isRead = writeStdout(Buffer.from(content));
}

let isRead = true;

export function main(): void {
  // Remains until the end sets another code, so that a program that just stops is never taken for success.
  process.exitCode = 1;
  void mainOf(process.argv.slice(2), {
    env: process.env,
    version: ownVersion(),
    now: Date.now,
    out: untilClosed,
    err: writeStderr,
    readStdin: (limit) => readWithin(0, limit),
  }).then((code) => process.exit(code));
}
