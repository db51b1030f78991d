import { chmodSync } from "node:fs";
import { begun } from "./begun.js";
import type { Sandbox } from "./uwf.js";
import { TURNS, zoo } from "./workflows.js";

/** `maker` is an agent, `checker` a person: a rejected text is made again. */
export function gateYaml(agent = "human"): string {
  return TURNS.replace("name: turns", "name: gate").replace(
    "    description: checks\n",
    `    description: checks\n    agent: ${agent}\n`,
  );
}

/** Registers the gate and starts a thread of it. */
export function startGate(box: Sandbox, agent?: string): Promise<string> {
  return begun(box, `gate ${agent}`, async ({ prepare, write }) => {
    await prepare(["workflow", "put", write("gate.yaml", gateYaml(agent))]);
    return (await prepare(["thread", "start", "gate", "-p", "Write the note"])).thread;
  });
}

/** The same, and the maker has worked: now the checker, a person, is asked. */
export function startAtGate(box: Sandbox, agent?: string): Promise<string> {
  return begun(box, `at gate ${agent}`, async (at) => {
    const thread = await startGate(at, agent);
    await at.prepare(["thread", "step", thread, "--agent", zoo("valid")]);
    return thread;
  });
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
