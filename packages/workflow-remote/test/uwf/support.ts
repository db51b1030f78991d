import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Sandbox, sandbox, ZOO } from "../../../cli-workflow/test/support/uwf.js";
import { TURNS } from "../../../cli-workflow/test/support/workflows.js";

/** A storage root beside the sandbox's own, whose agent is one of the zoo's. */
export type WorkerRoot = {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
};

export type RemoteBox = Sandbox & {
  readonly env: Readonly<Record<string, string>>;
  readonly submit: () => Promise<string>;
  readonly worker: (name: string, behaviour: string, ...args: readonly string[]) => WorkerRoot;
  readonly readAt: (file: string) => string;
  readonly show: (thread: string) => Promise<Shown>;
  readonly events: (thread: string) => Promise<readonly unknown[]>;
  /** Lines `thread role` of agents that started. */
  readonly agentRuns: () => readonly string[];
};

type Shown = {
  readonly head: string;
  readonly steps: number;
  readonly cwd: string | null;
  readonly ended: string | null;
  readonly held: { readonly for: string; readonly code: string | null } | null;
  readonly leasedBy: string | null;
  readonly log: readonly { readonly entry: { readonly event: string; readonly root: string } }[];
};

/** A workflow whose only role a person plays. */
export const HUMAN = `name: turns
description: A person decides
roles:
  checker:
    description: checks
    goal: Check it
    capabilities: []
    procedure: ""
    output: ""
    agent: human
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } }, additionalProperties: false }
conditions: {}
graph:
  $START: [{ role: checker, condition: null }]
  checker: [{ role: $END, condition: null }]
`;

/** A remote with its tables, and a workflow to submit threads of. */
export async function remoteBox(url: string | null, workflow: string = TURNS): Promise<RemoteBox> {
  const box = sandbox();
  const env = { UWF_REMOTE_URL: url ?? `pglite:${join(box.home, "remote")}` };
  await box.json(["remote", "init"], { env });
  await box.json(["workflow", "put", box.write("turns.yaml", workflow)]);
  const show = (thread: string): Promise<Shown> => box.json(["thread", "show", thread, "--remote"], { env });
  return {
    ...box,
    env,
    show,
    readAt: (file) => readFileSync(file, "utf8"),
    submit: async () => (await box.json(["thread", "submit", "turns", "-p", "Do it"], { env })).thread,
    worker: (name, behaviour, ...args) => {
      const root = join(box.root, "..", "workers", name);
      mkdirSync(root, { recursive: true });
      const zoo = { command: process.execPath, args: [ZOO, behaviour, ...args] };
      const config = { agents: { zoo }, defaultAgent: "zoo" };
      writeFileSync(join(root, "config.yaml"), JSON.stringify(config));
      return { root, env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: root } };
    },
    events: async (thread) => (await show(thread)).log.map(({ entry }) => entry.event),
    agentRuns: () => {
      const files = [
        join(box.root, "..", "agent-runs.log"),
        join(box.root, "..", "workers", "agent-runs.log"),
      ];
      return files.flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []));
    },
  };
}
