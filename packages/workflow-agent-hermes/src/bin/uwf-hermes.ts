import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { checkMain } from "@uncaged/workflow-agent-cli";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { hermesAgent } from "../agent/index.js";
import { hermesProgram } from "../hermes/index.js";

const port = {
  cwd: process.cwd(),
  now: Date.now,
  stderr: (line: string) => void writeSync(2, `${line}\n`),
};

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
if (process.argv[2] === "--check") void checkMain(hermesProgram);
else void createAgent({ name: "uwf-hermes", version: ownVersion(), ...hermesAgent(port) })();

/** The version in this package's own package.json, two folders above the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
