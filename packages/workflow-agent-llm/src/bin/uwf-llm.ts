import { randomUUID } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { llmAgent } from "../agent/index.js";
import { check, isCheck } from "../check/index.js";
import { helpOf } from "../options/index.js";

const argv = process.argv.slice(2);

const port = {
  env: process.env,
  cwd: process.cwd(),
  home: process.env.HOME || homedir(),
  now: Date.now,
  newId: randomUUID,
  stderr: (line: string) => void writeSync(2, `${line}\n`),
  graceMs: 2000,
};

if (argv[0] === "--help" || argv[0] === "-h") {
  writeSync(1, helpOf("llm"));
} else if (isCheck(argv)) {
  void check(argv, "llm", port).then(({ ok, text }) => {
    writeSync(ok ? 1 : 2, `${text}\n`);
    process.exitCode = ok ? 0 : 1;
  });
} else {
  // No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
  void createAgent({ name: "uwf-llm", version: ownVersion(), ...llmAgent("llm", port) })();
}

/** The version in this package's own package.json, two folders above the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
