import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DoctorOutput, ThreadLimitOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parentYaml } from "../children/support.js";
import { MADE, mockWith } from "../sessions/support.js";
import { gateYaml } from "../support/gate.js";
import { agentRuns } from "../support/logs.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS, zoo } from "../support/workflows.js";

// `.workflows/config.yaml` of the project in which a thread's agents work.

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
});

const user = (config: object): string => box.write(join(box.root, "config.yaml"), JSON.stringify(config));
const project = (text: string, folder = "."): string => box.write(`${folder}/.workflows/config.yaml`, text);

/** The zoo's agent with a behaviour, as an alias. */
function agent(behaviour: string) {
  const [command = "", ...args] = zoo(behaviour).split(" ");
  const bare = (word: string): string => word.replaceAll("'", "");
  return { command: bare(command), args: args.map(bare) };
}

const start = async (...words: readonly string[]): Promise<string> =>
  (await box.json(["thread", "start", "turns", "-p", "Do it", ...words])).thread;
const step = (thread: string, ...words: readonly string[]) => box.uwf(["thread", "step", thread, ...words]);
const limits = async (thread: string) =>
  (await box.json<ThreadLimitOutput>(["thread", "limit", thread])).limits;

const CAREFUL = "agentOverrides: { turns: { maker: careful } }\n";

describe("the settings of a project", () => {
  it("say which of the user's agents plays a role, before the default agent", async () => {
    user({ agents: { careful: agent("valid"), other: agent("exit-3") }, defaultAgent: "other" });
    project(CAREFUL);
    const thread = await start();
    expect((await step(thread)).code).toBe(0);
    // The checker is nobody's: the default agent.
    expect((await step(thread)).code).toBe(6);
  });

  it("give way to what the user says: an override, and --agent", async () => {
    user({
      agents: { careful: agent("exit-3"), mine: agent("valid") },
      agentOverrides: { turns: { maker: "mine" } },
    });
    project(CAREFUL);
    expect((await step(await start())).code).toBe(0);
    user({ agents: { careful: agent("exit-3") } });
    const thread = await start();
    expect((await step(thread, "--agent", zoo("valid"))).code).toBe(0);
  });

  it("are those of the thread's folder, wherever the step is called", async () => {
    user({ agents: { careful: agent("valid"), other: agent("exit-3") }, defaultAgent: "other" });
    project(CAREFUL, "inside");
    const thread = await start("--cwd", "inside");
    const outside = await start();
    const from = join(box.cwd, "inside");
    expect((await box.uwf(["thread", "step", outside], { cwd: from })).code).toBe(6);
    expect((await box.uwf(["thread", "step", thread], { cwd: "/" })).code).toBe(0);
    // Moved there, it counts there.
    expect((await step(outside, "--cwd", "inside")).code).toBe(0);
  });

  it("that name an alias which the user does not have are one error, with the lines to add", async () => {
    const file = project(
      "agentOverrides:\n  turns:\n    maker: careful\n    checker: strict one\n  other: { x: nobody }\n",
    );
    const thread = await start();
    const ran = await step(thread);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toBe(
      `error[ALIAS_UNDEFINED]: ${file}:3:5: maker of turns is to be played by the agent "careful", which your config.yaml does not define\n` +
        `${file}:4:5: checker of turns is to be played by the agent "strict one", which your config.yaml does not define\n` +
        "hint: run `uwf setup` in that project, or add to config.yaml of the storage root:\n" +
        "agents:\n  careful: { command: <program>, args: [] }\n" +
        '  "strict one": { command: <program>, args: [] }\n',
    );
    const lines = /^agents:[\s\S]*/m.exec(ran.stderr)?.[0] ?? "";
    const { command, args } = agent("valid");
    user(parse(lines.replaceAll("<program>, args: []", `${command}, args: ${JSON.stringify(args)}`)));
    expect((await step(thread)).code).toBe(0);
    expect((await step(thread)).code).toBe(0);
  });

  it("never become a command, whatever they call their agents", async () => {
    for (const name of ["/bin/false", "uwf-mock", "sh -c true", "constructor"]) {
      project(`agentOverrides: { turns: { maker: ${JSON.stringify(name)} } }\n`);
      user({ agents: { mine: agent("valid") }, defaultAgent: "mine" });
      const ran = await step(await start());
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain("error[ALIAS_UNDEFINED]");
      expect(ran.stderr).toContain("add below `agents:` in config.yaml of the storage root:\n  ");
    }
    expect(agentRuns(box)).toBe(0);
  });

  it.each([
    ["agents: { careful: { command: /bin/false } }", "agents may stand only in your own config.yaml"],
    ["defaultAgent: mine", "defaultAgent may stand only in your own config.yaml"],
    ["notify: { command: /bin/false, on: [ended] }", "notify may stand only in your own config.yaml"],
    ["providers: {}", "providers may stand only in your own config.yaml"],
    ["color: red", 'unknown key "color"'],
    ["limits: [", ""],
  ])("that say %s are refused with place and reason, and nothing starts", async (text, reason) => {
    user({ agents: { mine: agent("valid") }, defaultAgent: "mine" });
    const thread = await start();
    const file = project(`# ours\n${text}\n`);
    const ran = await step(thread);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain(`error[INVALID_CONFIG]: ${file} is not valid:\n`);
    expect(ran.stderr).toMatch(/config\.yaml:[23]:\d+: /);
    expect(ran.stderr).toContain(reason);
    expect(agentRuns(box)).toBe(0);
  });

  it("do not have an agent play a person's role, and say so", async () => {
    await box.json(["workflow", "put", box.write("gate.yaml", gateYaml())]);
    user({ agents: { careful: agent("valid") }, defaultAgent: "careful" });
    const file = project("agentOverrides: { gate: { checker: careful } }\n");
    const { thread } = await box.json(["thread", "start", "gate", "-p", "x"]);
    expect((await step(thread)).code).toBe(0);
    const ran = await step(thread);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain(
      `warning: ${file}:1:27: it has no effect: the workflow gate says itself who plays checker\n`,
    );
    expect(ran.stderr).toContain("error[WAITING_FOR_ANSWER]");
  });

  it("are looked at again by a thread that a person is asked for", async () => {
    await box.json(["workflow", "put", box.write("gate.yaml", gateYaml())]);
    user({ agents: { careful: agent("valid") }, defaultAgent: "careful" });
    const { thread } = await box.json(["thread", "start", "gate", "-p", "x"]);
    await step(thread);
    expect((await step(thread)).code).toBe(9);
    project("agents: {}\n");
    expect((await step(thread)).code).toBe(4);
  });

  it("limit a thread only where the user says nothing, and so raise no limit", async () => {
    project("limits:\n  default: { maxSteps: 1, maxCostUsd: 2 }\n  turns: { maxMinutes: 3 }\n");
    user({ limits: { default: { maxCostUsd: 1 } } });
    const thread = await start();
    expect(await limits(thread)).toEqual({ maxSteps: 1, maxCostUsd: 1, maxMinutes: 3 });
    await box.json(["thread", "limit", thread, "--max-steps", "5"]);
    expect(await limits(thread)).toMatchObject({ maxSteps: 5 });
  });

  it("hold a thread at their limit, until they are changed", async () => {
    user({ agents: { mine: agent("valid") }, defaultAgent: "mine" });
    project("limits: { turns: { maxSteps: 1 } }\n");
    const thread = await start();
    expect((await step(thread)).code).toBe(0);
    for (let count = 0; count < 2; count += 1) expect((await step(thread)).code).toBe(9);
    project("limits: { turns: { maxSteps: 20 } }\n");
    expect((await step(thread)).code).toBe(0);
  });

  it("say how deep threads start others, where the user does not", async () => {
    await box.json(["workflow", "put", box.write("parent.yaml", parentYaml("{ workflow: parent }"))]);
    const deep = async (): Promise<string> => {
      const { thread } = await box.json(["thread", "start", "parent", "-p", "x"]);
      return (await step(thread)).stderr;
    };
    project("maxDepth: 1\n");
    expect(await deep()).toContain("1 deep");
    user({ maxDepth: 2 });
    expect(await deep()).toContain("2 deep");
  });

  it("are checked by doctor, in the folder where it is called", async () => {
    user({ agents: { mine: agent("valid") }, defaultAgent: "mine" });
    const found = async () => JSON.parse((await box.uwf(["doctor"])).stdout) as DoctorOutput;
    const ofProject = async () => (await found()).findings.filter(({ check }) => check === "project");
    expect(await ofProject()).toEqual([]);
    const file = project("agentOverrides: { turns: { maker: mine } }\n");
    expect(await ofProject()).toEqual([
      {
        check: "project",
        status: "ok",
        message: `${file} is valid, and every alias in it is one of yours`,
        fix: null,
      },
    ]);
    project(CAREFUL);
    expect((await ofProject())[0]).toMatchObject({
      status: "error",
      message: expect.stringContaining('maker of turns is to be played by the agent "careful"'),
      fix: expect.stringContaining("below `agents:`"),
    });
    project("agents: {}\n");
    expect((await ofProject())[0]).toMatchObject({
      status: "error",
      fix: expect.stringContaining(file),
    });
  });

  it("are no workflow of the project", async () => {
    project(CAREFUL);
    expect(await box.json(["workflow", "list"])).toMatchObject([{ name: "turns", origin: "registry" }]);
    expect((await box.uwf(["thread", "start", "config", "-p", "x"])).code).toBe(3);
  });

  it("of a folder that is not there are none: the step says what is wrong with the folder", async () => {
    user({ agents: { mine: agent("valid") }, defaultAgent: "mine" });
    mkdirSync(join(box.cwd, "away"));
    const thread = await start("--cwd", "away");
    await box.json(["thread", "show", thread]);
    rmSync(join(box.cwd, "away"), { recursive: true });
    expect((await step(thread)).stderr).toContain("error[FOLDER_UNUSABLE]");
  });

  it("work with a scenario of two agents to the end", async () => {
    const made = mockWith(box, {
      maker: [{ reply: MADE }],
      checker: [{ reply: "---\napproved: true\n---\n" }],
    });
    const [command = "", ...args] = made.split(" ").map((word) => word.replaceAll("'", ""));
    user({ agents: { a: { command, args }, b: { command, args } } });
    project("agentOverrides: { turns: { maker: a, checker: b } }\n");
    const thread = await start();
    expect(await box.json(["thread", "run", thread])).toMatchObject({ done: true });
  });
});
