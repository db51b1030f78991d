import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { createAgent, printText, writeStderr } from "@uncaged/workflow-agent-kit";
import { llmAgent, type Port } from "./agent.js";
import { check, isCheck } from "./check.js";
import { helpOf, type Kind } from "./options.js";

/** The `main` of both binaries: help, `--check`, or one step. */
export async function llmMain(kind: Kind, version: string, argv: readonly string[]): Promise<void> {
  const port = processPort();
  if (isCheck(argv)) {
    const { ok, text } = await check(argv, kind, port);
    if (!ok) writeStderr(`${text}\n`);
    process.exitCode = ok ? printText(`${text}\n`, 0) : 1;
  } else {
    await createAgent({ name: `uwf-${kind}`, version, help: helpOf(kind), ...llmAgent(kind, port) })(argv);
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
    stderr: (line) => writeStderr(`${line}\n`),
    graceMs: 2000,
  };
}
