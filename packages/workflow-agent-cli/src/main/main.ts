import { writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";
import type { Adapter } from "../adapters/index.js";
import { type Checkable, check, isReady } from "../check/index.js";
import { createCliAgent } from "../runner/index.js";
import { processPlace, processPort } from "./process-port.js";

/** The agent failed: nothing here that could work. */
const NOT_READY = 6;

/** The `main` of a binary around one CLI: `--check` looks whether it can work, anything else is the kit's. */
export async function cliAgentMain(
  adapter: Adapter,
  version: string,
  argv: readonly string[],
): Promise<void> {
  if (argv[0] === "--check") return checkMain(adapter);
  return createAgent({ ...createCliAgent(adapter, processPort()), version })(argv);
}

/** `--check`: prints the report, and says by the exit code whether the agent could work. */
export async function checkMain(subject: Checkable): Promise<void> {
  const report = await check(subject, processPlace(), process.cwd());
  writeSync(1, `${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = isReady(report) ? 0 : NOT_READY;
}
