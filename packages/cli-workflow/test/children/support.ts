import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { begun } from "../support/begun.js";
import type { Sandbox } from "../support/uwf.js";
import { zoo } from "../support/workflows.js";

const KIT = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin");

/** One role, played by the configured agent. */
export const WORK = `name: work
description: One worker
roles:
  worker:
    description: works
    goal: Do the work
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [note]
      properties: { note: { type: string } }
conditions: {}
graph:
  $START: [{ role: worker, condition: null }]
  worker: [{ role: $END, condition: null }]
`;

const FIELDS =
  "ok: { type: boolean }, reason: { type: string }, thread: { type: string }, steps: { type: integer }";

/** One role, played by a thread of `agent`'s workflow. */
export function parentYaml(agent = "{ workflow: work }", { name = "parent", fields = FIELDS } = {}): string {
  return `name: ${name}
description: Has others do the work
roles:
  lead:
    description: leads
    goal: Have it done
    capabilities: []
    procedure: ""
    output: ""
    agent: ${agent}
    meta:
      type: object
      required: [note]
      properties: { note: { type: string }, ${fields} }
conditions: {}
graph:
  $START: [{ role: lead, condition: null }]
  lead: [{ role: $END, condition: null }]
`;
}

/** A planner whose output is in the scenario of the agent, and a map over it. */
export function mapYaml(agent: string): string {
  return `name: map
description: A worker for each item
roles:
  planner:
    description: plans
    goal: Plan it
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [items]
      properties: { items: { type: array, items: { type: string } } }
  lead:
    description: leads
    goal: Have it done
    capabilities: []
    procedure: ""
    output: ""
    agent: ${agent}
    meta:
      type: object
      required: [results]
      properties:
        results: { type: array }
        ok: { type: boolean }
        failed: { type: integer }
        count: { type: integer }
        threads: { type: array }
conditions: {}
graph:
  $START: [{ role: planner, condition: null }]
  planner: [{ role: lead, condition: null }]
  lead: [{ role: $END, condition: null }]
`;
}

/**
 * Configures the agent of every role: it writes a line per start, fails as long as there is a file \`fail\`, or one named
 * after something in its task, waits as long as there is such a file \`block-…\`, and else replies. A planner's items stand in the file \`items\`.
 */
export function configure(box: Sandbox): Promise<void> {
  return begun(box, "children", configureFirst);
}

async function configureFirst(box: Sandbox): Promise<void> {
  const agent = box.write(
    "worker.sh",
    `#!/bin/sh
cd '${box.cwd}'
echo "$1 $2" >>starts
[ ! -e fail ] || exit 3
[ "$2" = planner ] || exec ${zoo("doesItem", `'${box.cwd}'`)} "$@"
printf -- '---\\nitems: [%s]\\n---\\n' "$(cat items)" | uwf-agent-write --agent worker "$1" "$2"
`,
  );
  chmodSync(agent, 0o755);
  await box.prepare(["setup", "--agent", agent]);
  await box.prepare(["workflow", "put", box.write("work.yaml", WORK)]);
}

/** The kit's binaries beside what is on PATH. */
export function withKit(): { readonly env: Readonly<Record<string, string>> } {
  return { env: { PATH: `${KIT}:${process.env.PATH ?? ""}` } };
}

/** The threads and roles for which the agent was started. */
export function starts(box: Sandbox): readonly string[] {
  const file = join(box.cwd, "starts");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

export async function startParent(box: Sandbox, yaml: string): Promise<string> {
  const put = await box.prepare<{ readonly name: string }>(["workflow", "put", box.write("p.yaml", yaml)]);
  const { thread } = await box.prepare(["thread", "start", put.name, "-p", "Ship it"]);
  return thread;
}
