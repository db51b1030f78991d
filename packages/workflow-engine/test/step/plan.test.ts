import type { WorkflowPayload } from "@uncaged/workflow-protocol";
import type { ProjectConfig, WorkflowConfig } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { planRun } from "../../src/step/cast.js";
import { plan } from "../../src/step/plan.js";
import type { StepState } from "../../src/step/types.js";

const role = {
  description: "",
  goal: "",
  capabilities: [],
  procedure: "",
  output: "",
  meta: "META000000000",
  agent: null,
};
const WORKFLOW = {
  name: "turns",
  description: "",
  roles: { maker: role },
  conditions: {},
  graph: {},
} as unknown as WorkflowPayload;

const agent = (command: string): WorkflowConfig["agents"][string] => ({
  command,
  args: ["--fast"],
  timeoutSeconds: 10,
  idleSeconds: null,
  retries: null,
  resume: null,
  env: null,
  sandbox: null,
});

const CONFIG: WorkflowConfig = {
  providers: {},
  models: {},
  agents: { hermes: agent("uwf-hermes"), cursor: agent("uwf-cursor"), "two words": agent("uwf-two") },
  defaultAgent: "hermes",
  agentOverrides: { turns: { maker: "cursor" } },
  defaultModel: null,
  modelOverrides: {},
  notify: null,
  limits: {},
  maxDepth: null,
};

const request = (text: string | null) => ({
  thread: "T",
  waitMs: 0,
  retries: null,
  cwd: null,
  expect: null,
  answer: null,
  until: null,
  agents: text === null ? [] : [{ role: null, text, words: text.split(" ") as [string, ...string[]] }],
});

const project = (alias: string): ProjectConfig => ({
  file: "/project/.workflows/config.yaml",
  agentOverrides: { turns: { maker: alias } },
  limits: {},
  maxDepth: null,
  at: () => ({ line: 2, column: 3 }),
});

const program = (
  config: WorkflowConfig | null,
  text: string | null,
  of: ProjectConfig | null = null,
  workflow = WORKFLOW,
) => {
  const planned = planRun({ role: "maker", workflow, config, project: of, request: request(text) });
  return planned.ok ? planned.value.agent.program : planned;
};

describe("the plan", () => {
  it("of an end is to archive, and asks no config.yaml", async () => {
    const end = { kind: "end", reason: "end", tried: [] } as const;
    const state = { chain: { workflow: { payload: WORKFLOW } } } as unknown as StepState;
    const planned = await plan(state, end, request(null));
    expect(planned).toEqual({ ok: true, value: { kind: "archive", reason: "end" } });
  });

  it("prefers --agent, as an alias if the complete string is one", () => {
    expect(program(CONFIG, "hermes")).toBe("uwf-hermes");
    expect(program(CONFIG, "two words")).toBe("uwf-two");
  });

  it("takes --agent as a command with arguments otherwise, also without any config", () => {
    expect(program(CONFIG, "hermes --x")).toBe("hermes");
    expect(program(null, "uwf-mock --scenario a.yaml")).toBe("uwf-mock");
  });

  it("takes the role's override before the default", () => {
    expect(program(CONFIG, null)).toBe("uwf-cursor");
    expect(program({ ...CONFIG, agentOverrides: { other: { maker: "cursor" } } }, null)).toBe("uwf-hermes");
  });

  it("takes the project's alias after everything that the user says of the role, before the default", () => {
    const none = { ...CONFIG, agentOverrides: {} };
    expect(program(none, null, project("cursor"))).toBe("uwf-cursor");
    expect(program(CONFIG, null, project("hermes"))).toBe("uwf-cursor");
    expect(program(none, "hermes", project("cursor"))).toBe("uwf-hermes");
  });

  it("never takes the project's word for a command, or for a role that the workflow gives to a person", () => {
    expect(program({ ...CONFIG, agentOverrides: {} }, null, project("uwf-cursor"))).toMatchObject({
      ok: false,
      error: { code: "ALIAS_UNDEFINED", missing: [{ alias: "uwf-cursor", role: "maker", line: 2 }] },
    });
    const human = { human: { timeoutSeconds: null, default: null } };
    const asked = { ...WORKFLOW, roles: { maker: { ...role, agent: human } } } as unknown as WorkflowPayload;
    expect(program({ ...CONFIG, agentOverrides: {} }, null, project("cursor"), asked)).toBe("human");
  });

  it("is refused where nothing names an agent", () => {
    expect(program(null, null)).toMatchObject({ ok: false, error: { code: "NO_AGENT", role: "maker" } });
    expect(program({ ...CONFIG, defaultAgent: null, agentOverrides: {} }, null)).toMatchObject({ ok: false });
  });

  it("never takes a name from the prototype", () => {
    expect(program({ ...CONFIG, agentOverrides: {} }, "constructor")).toBe("constructor");
  });
});
