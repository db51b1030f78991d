import { createAgent, printText, writeStderr } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { acpAgent } from "../agent.js";
import { HELP, isCheck, runCheck } from "../arguments.js";

export function main(): void {
  const words = process.argv.slice(2);
  if (isCheck(words)) void check(words);
  else void act(words);
}

function port() {
  return {
    cwd: process.cwd(),
    now: Date.now,
    stderr: (line: string) => writeStderr(`${line}\n`),
    version: packageVersion(import.meta.dirname),
    times: { startMs: 120_000, graceMs: 2000, cancelMs: 1000, quietMs: 300 },
  };
}

async function act(words: readonly string[]): Promise<void> {
  const own = port();
  const agent = acpAgent(own);
  const { run, continue: resume } = agent;
  await createAgent({ name: "uwf-acp", version: own.version, help: HELP, run, continue: resume })(words);
  agent.close();
}

async function check(words: readonly string[]): Promise<void> {
  const own = port();
  process.exitCode = await runCheck(words, { ...own, ...own.times, env: process.env, print: printText });
}
