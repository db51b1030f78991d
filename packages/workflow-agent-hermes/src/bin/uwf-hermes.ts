import { checkMain } from "@uncaged/workflow-agent-cli";
import { createAgent, writeStderr } from "@uncaged/workflow-agent-kit";
import { packageVersion } from "@uncaged/workflow-util";
import { hermesAgent } from "../agent.js";
import { hermesProgram } from "../hermes.js";

export function main(): void {
  const port = {
    cwd: process.cwd(),
    now: Date.now,
    stderr: (line: string) => writeStderr(`${line}\n`),
  };
  if (process.argv[2] === "--check") void checkMain(hermesProgram);
  else
    void createAgent({
      name: "uwf-hermes",
      version: packageVersion(import.meta.dirname),
      keyVariables: hermesProgram.keyVariables,
      ...hermesAgent(port),
    })();
}
