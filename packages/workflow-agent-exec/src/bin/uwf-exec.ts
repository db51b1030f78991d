import { readFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { exec } from "../agent/index.js";
import { check, isCheck } from "../check/index.js";
import { HELP } from "../words/index.js";

const argv = process.argv.slice(2);

const port = {
  cwd: process.cwd(),
  temporary: tmpdir(),
  stderr: (line: string) => void writeSync(2, `${line}\n`),
};

if (argv[0] === "--help" || argv[0] === "-h") {
  writeSync(1, HELP);
} else if (isCheck(argv)) {
  const { ok, text } = check(argv, { cwd: port.cwd, path: process.env.PATH ?? "" });
  writeSync(ok ? 1 : 2, `${text}\n`);
  process.exitCode = ok ? 0 : 1;
} else {
  // No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
  void createAgent({ name: "uwf-exec", version: ownVersion(), run: (context) => exec(context, port) })();
}

/** The version in this package's own package.json, two folders above the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
