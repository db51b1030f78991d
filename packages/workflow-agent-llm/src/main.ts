import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { llmAgent, type Port } from "./agent.js";
import { check, isCheck } from "./check.js";
import { helpOf, type Kind } from "./options.js";

/** The `main` of both binaries: help, `--check`, or one step. */
export async function llmMain(kind: Kind, version: string, argv: readonly string[]): Promise<void> {
  const port = processPort();
  if (argv[0] === "--help" || argv[0] === "-h") {
    writeSync(1, helpOf(kind));
  } else if (isCheck(argv)) {
    const { ok, text } = await check(argv, kind, port);
    writeSync(ok ? 1 : 2, `${text}\n`);
    process.exitCode = ok ? 0 : 1;
  } else {
    await createAgent({ name: `uwf-${kind}`, version, ...llmAgent(kind, port) })(argv);
  }
}

/** The process around the agent. */
function processPort(): Port {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME || homedir(),
    now: Date.now,
    newId: randomUUID,
    stderr: (line) => void writeSync(2, `${line}\n`),
    graceMs: 2000,
  };
}
