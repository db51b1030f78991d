import { writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { acpAgent } from "../agent/index.js";
import { HELP } from "../arguments/index.js";
import { isCheck, runCheck } from "../check/index.js";

const version = packageVersion(import.meta.dirname);

const port = {
  cwd: process.cwd(),
  now: Date.now,
  stderr: (line: string) => void writeSync(2, `${line}\n`),
  version,
  times: { startMs: 120_000, graceMs: 2000, cancelMs: 1000 },
};

const words = process.argv.slice(2);

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
if (isCheck(words)) void check();
else if (words[0] === "--help" || words[0] === "-h") stdout(HELP);
else void act();

function stdout(text: string): void {
  writeSync(1, text);
}

async function act(): Promise<void> {
  const agent = acpAgent(port);
  const { run, continue: resume } = agent;
  await createAgent({ name: "uwf-acp", version, run, continue: resume })(words);
  agent.close();
}

async function check(): Promise<void> {
  process.exitCode = await runCheck(words, { ...port, ...port.times, env: process.env, stdout });
}
