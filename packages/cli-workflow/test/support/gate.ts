import { chmodSync } from "node:fs";
import type { Sandbox } from "./uwf.js";
import { TURNS } from "./workflows.js";

/** `maker` is an agent, `checker` a person: a rejected text is made again. */
export function gateYaml(agent = "human"): string {
  return TURNS.replace("name: turns", "name: gate").replace(
    "    description: checks\n",
    `    description: checks\n    agent: ${agent}\n`,
  );
}

/** Registers the gate and starts a thread of it. */
export async function startGate(box: Sandbox, agent?: string): Promise<string> {
  await box.json(["workflow", "put", box.write("gate.yaml", gateYaml(agent))]);
  const { thread } = await box.json(["thread", "start", "gate", "-p", "Write the note"]);
  return thread;
}

/** An agent that writes a line per start, leaves `waiting.json`, and exits. */
export function waiter(box: Sandbox, waiting: string, code = 9): string {
  const file = box.write("waiter.json", waiting);
  const agent = box.write(
    "waiter.sh",
    `#!/bin/sh
echo started >>"${box.cwd}/starts"
cp '${file}' "$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/waiting.json"
exit ${code}
`,
  );
  chmodSync(agent, 0o755);
  return agent;
}
