import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parentYaml } from "../children/support.js";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { gateYaml } from "../support/gate.js";
import { agentRuns } from "../support/logs.js";
import { MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

// What `uwf run` can know before there is a thread, and what it says of the thread afterwards.

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await box.prepare(["workflow", "put", box.write("turns.yaml", TURNS)]);
});

const BIN = join(import.meta.dirname, "../../../../node_modules/.bin");
const withAgents = () => ({ env: { PATH: `${BIN}:${box.environment.PATH}` } });
const run = (...words: readonly string[]) => box.uwf(["run", "turns", "-p", "Do it", ...words], withAgents());
const config = (value: object): string => box.write(join(box.root, "config.yaml"), JSON.stringify(value));
const alias = (command: string, ...args: readonly string[]) => ({ command, args });
/** An alias for both roles. */
const both = (agent: object, more: object = {}) =>
  config({ agents: { it: agent }, defaultAgent: "it", ...more });
const MODELS = {
  providers: { here: { baseUrl: "http://127.0.0.1:9", apiKeyEnv: "HERE_KEY" } },
  models: { small: { provider: "here", name: "small-1" } },
};

type Case = {
  readonly words?: readonly string[];
  readonly prepare?: () => void;
  readonly code?: number;
  readonly says: readonly string[];
};

const CASES: Readonly<Record<string, Case>> = {
  "no agent": { says: ["error[NO_AGENT]", "role maker of workflow turns"] },
  "an agent for one role only": {
    words: ["--agent", "maker=true"],
    says: ["error[NO_AGENT]", "role checker of workflow turns"],
  },
  "a mistyped agent": {
    words: ["--agent", "uwf-cluade"],
    says: ["error[AGENT_NOT_FOUND]", 'did you mean "uwf-claude"?'],
  },
  "a mistyped alias": {
    prepare: () => config({ agents: { careful: alias(MOCK) } }),
    words: ["--agent", "carefull"],
    says: ["error[AGENT_NOT_FOUND]", 'did you mean "careful"?'],
  },
  "a mistyped agent for a later role": {
    words: ["--agent", "true", "--agent", "checker=uwf-exce"],
    says: ["error[AGENT_NOT_FOUND]", 'did you mean "uwf-exec"?'],
  },
  "the program that an agent drives": {
    prepare: () => chmodSync(box.write("bin/claude", "#!/bin/sh\n"), 0o755),
    words: ["--agent", "claude -p"],
    says: ["error[AGENT_UNUSABLE]", "it is the program that uwf-claude drives", "--agent uwf-claude"],
  },
  "the same by its path": {
    prepare: () => chmodSync(box.write("bin/claude", "#!/bin/sh\n"), 0o755),
    words: ["--agent", "bin/claude -p"],
    says: ["error[AGENT_UNUSABLE]", "it is the program that uwf-claude drives"],
  },
  "the same as an alias": {
    prepare: () => {
      chmodSync(box.write("bin/cursor-agent", "#!/bin/sh\n"), 0o755);
      both(alias("cursor-agent", "-p"));
    },
    says: ["error[AGENT_UNUSABLE]", "it is the program that uwf-cursor drives"],
  },
  "an agent whose program is not installed": {
    words: ["--agent", "uwf-gemini"],
    says: ["error[AGENT_UNUSABLE]", "the program that it drives is not installed", "uwf-gemini --check"],
  },
  "an agent that needs a command": {
    words: ["--agent", "uwf-exec"],
    says: ["error[AGENT_UNUSABLE]", "it needs a command", "uwf-exec -- <command>"],
  },
  "a scenario that is not there": {
    words: ["--agent", "uwf-mock --scenario nowhere.yaml"],
    code: 3,
    says: ["error[FILE_NOT_FOUND]", "nowhere.yaml: it does not exist"],
  },
  "a scenario that is not there in --cwd": {
    prepare: () => {
      box.write("here.yaml", "");
      mkdirSync(join(box.cwd, "sub"));
    },
    words: ["--agent", "uwf-mock --scenario=here.yaml", "--cwd", "sub"],
    code: 3,
    says: ["error[FILE_NOT_FOUND]", "sub/here.yaml"],
  },
  "uwf-mock without a scenario": {
    words: ["--agent", "uwf-mock"],
    says: ["error[AGENT_UNUSABLE]", "no scenario is named", '--agent "uwf-mock --scenario <file>"'],
  },
  "a mistyped agent in a worktree": {
    words: ["--agent", "uwf-worktree --snapshot -- uwf-cluade"],
    says: ["error[AGENT_NOT_FOUND]", "agent uwf-cluade"],
  },
  "a command of uwf-exec that is not installed": {
    words: ["--agent", "uwf-exec -- nmp test"],
    says: ["error[AGENT_NOT_FOUND]", "agent nmp"],
  },
  "a file that is not executable": {
    prepare: () => box.write("agent.sh", "#!/bin/sh\n"),
    words: ["--agent", "./agent.sh"],
    says: ["error[AGENT_NOT_STARTABLE]", "is not executable"],
  },
  "a file that is not there": { words: ["--agent", "./agent.sh"], says: ["error[AGENT_NOT_STARTABLE]"] },
  "a folder": {
    prepare: () => mkdirSync(join(box.cwd, "agent")),
    words: ["--agent", "./agent"],
    says: ["error[AGENT_NOT_STARTABLE]", "is a directory"],
  },
  "a script without its interpreter": {
    prepare: () => chmodSync(box.write("agent.sh", "#!/usr/bin/pyhton3\n"), 0o755),
    words: ["--agent", "./agent.sh"],
    says: ["error[AGENT_NOT_STARTABLE]", "its interpreter cannot be used"],
  },
  "an alias whose command is missing": {
    prepare: () => both(alias("uwf-cluade")),
    says: ["error[AGENT_NOT_FOUND]", 'did you mean "uwf-claude"?'],
  },
  "an override whose command is missing": {
    prepare: () =>
      config({
        agents: { it: alias("true"), tests: alias("uwf-nowhere") },
        defaultAgent: "it",
        agentOverrides: { turns: { checker: "tests" } },
      }),
    says: ["error[AGENT_NOT_FOUND]", "agent uwf-nowhere"],
  },
  "an alias whose command has its options in it": {
    prepare: () => both(alias("uwf-claude --model opus")),
    says: ["error[AGENT_NOT_FOUND]", "`command: uwf-claude`, and the other words in `args`"],
  },
  "an alias whose command has a path in its options": {
    prepare: () => both(alias("uwf-mock --scenario ./s.yaml")),
    says: ["error[AGENT_NOT_STARTABLE]", "`command: uwf-mock`, and the other words in `args`"],
  },
  "a default agent that is not defined": {
    prepare: () => config({ agents: {}, defaultAgent: "gone" }),
    says: ["error[INVALID_CONFIG]", 'there is no agent "gone" in agents'],
  },
  "an alias of the project that the user does not have": {
    prepare: () => {
      both(alias("true"));
      box.write(".workflows/config.yaml", "agentOverrides: { turns: { checker: careful } }\n");
    },
    says: ["error[ALIAS_UNDEFINED]", "checker of turns"],
  },
  "broken settings of the project": {
    prepare: () => box.write(".workflows/config.yaml", "agents: {}\n"),
    words: ["--agent", "true"],
    says: ["error[INVALID_CONFIG]", "agents may stand only in your own config.yaml"],
  },
  "broken settings of the project in --cwd": {
    prepare: () => box.write("sub/.workflows/config.yaml", "agentOverrides: [\n"),
    words: ["--agent", "true", "--cwd", "sub"],
    says: ["error[INVALID_CONFIG]"],
  },
  "a folder that is not there": {
    words: ["--agent", "true", "--cwd", "nowhere"],
    says: ["error[INVALID_INPUT]: --cwd: there is no"],
  },
  "a model that is not defined": {
    prepare: () => config(MODELS),
    words: ["--agent", "uwf-llm --model samll"],
    says: ["error[INVALID_INPUT]", 'config.yaml has no model samll, did you mean "small"?'],
  },
  "no model at all": {
    words: ["--agent", "uwf-react"],
    says: [
      "error[INVALID_INPUT]",
      "there is no config.yaml",
      "hint: `uwf setup` writes a model into config.yaml",
    ],
  },
  "a key that is not set": {
    prepare: () => config({ ...MODELS, defaultModel: "small" }),
    words: ["--agent", "uwf-llm"],
    says: ["error[NO_API_KEY]", "HERE_KEY is not set"],
  },
  "a key that is empty": {
    prepare: () => {
      config({ ...MODELS, defaultModel: "small" });
      box.write(join(box.root, ".env"), "HERE_KEY=\n");
    },
    words: ["--agent", "uwf-worktree -- uwf-react --model=small"],
    says: ["error[NO_API_KEY]", "HERE_KEY is not set"],
  },
  "a sandbox that is not installed": {
    prepare: () => both({ ...alias("true"), sandbox: { kind: "bwrap", writable: ["/nowhere"] } }),
    says: ["error[SANDBOX_UNAVAILABLE]"],
  },
  "what only a shell does": {
    words: ["--agent", "npm ci && uwf-claude"],
    code: 2,
    says: ["error[MALFORMED_AGENT_COMMAND]", "no shell runs it, which && needs"],
  },
};

describe("uwf run that cannot start makes no thread, and writes nothing", () => {
  it.each(Object.entries(CASES))("%s", async (_what, { words = [], prepare, code = 4, says }) => {
    prepare?.();
    const before = box.snapshot();
    const path = `${join(box.cwd, "bin")}:${withAgents().env.PATH}`;
    const ran = await box.uwf(["run", "turns", "-p", "Do it", ...words], { env: { PATH: path } });
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).not.toContain("started thread");
    for (const text of says) expect(ran.stderr).toContain(text);
    expect(box.snapshot()).toEqual(before);
    expect(agentRuns(box)).toBe(0);
    // Not with a key either: the next call, with the mistake corrected, starts the key's thread.
    const keyed = await box.uwf(["run", "turns", "-p", "Do it", "--key", "one", ...words], {
      env: { PATH: path },
    });
    expect(keyed.code).toBe(code);
    expect(await box.json(["thread", "list", "--all"])).toEqual([]);
  });

  it("a child workflow that is not there, or whose role has no agent", async () => {
    await box.prepare(["workflow", "put", box.write("parent.yaml", parentYaml("{ workflow: trun }"))]);
    const parent = () => box.uwf(["run", "parent", "-p", "Do it", "--agent", "true"], withAgents());
    expect(await parent()).toMatchObject({ code: 3, stderr: expect.stringContaining("WORKFLOW_NOT_FOUND") });
    await box.prepare(["workflow", "put", box.write("parent.yaml", parentYaml("{ workflow: turns }"))]);
    const unplayed = await parent();
    expect(unplayed.code).toBe(4);
    expect(unplayed.stderr).toContain("no agent is configured for role maker of workflow turns");
    expect(unplayed.stderr).toContain("--agent does not reach child threads: ");
    expect(unplayed.stderr).toContain("agentOverrides.turns.maker in config.yaml");
    expect(await box.json(["thread", "list", "--all"])).toEqual([]);
  });

  it("cron, whose PATH is short", async () => {
    const words = ["run", "turns", "-p", "x", "--key", "one", "--agent", "uwf-mock"];
    const ran = await box.uwf(words);
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("cron's PATH is shorter") });
    expect(await box.json(["thread", "list", "--all"])).toEqual([]);
  });
});

describe("uwf run asks only for whom it needs", () => {
  it("not beyond --until, nor beyond --max-steps", async () => {
    const maker = mockWith(box, { maker: [{ reply: MADE }] });
    expect((await run("--agent", `maker=${maker}`, "--until", "checker")).code).toBe(0);
    expect((await run("--agent", `maker=${maker}`, "--max-steps", "1")).code).toBe(9);
  });

  it("for no agent in a person's place", async () => {
    await box.prepare(["workflow", "put", box.write("gate.yaml", gateYaml())]);
    const maker = mockWith(box, { maker: [{ reply: MADE }] });
    const ran = await box.uwf(["run", "gate", "-p", "x", "--agent", maker]);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("WAITING_FOR_ANSWER");
    expect(ran.stderr).not.toContain("gives it up");
  });

  it("for no agent if the key's thread has ended", async () => {
    const agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: judged(true) }] });
    const first = await run("--key", "one", "--agent", agent);
    expect(first.code).toBe(0);
    const again = await run("--key", "one", "--agent", "uwf-cluade");
    expect(again).toMatchObject({ code: 0, stdout: first.stdout });
  });
});

describe("a failure after the start of uwf run", () => {
  const left = (stderr: string) =>
    /thread (\w+) is still active: `uwf thread run (\w+)` goes on( with the same --agent)?, `uwf thread kill (\w+)` gives it up/.exec(
      stderr,
    );

  it.each([
    ["an agent that fails", ["--agent", "sh -c 'exit 3'"], 6, "AGENT_FAILED"],
    ["an agent without a result", ["--agent", "true"], 6, "AGENT_BAD_RESULT"],
    ["a bound", ["--agent", "true", "--timeout", "0"], 9, "RUN_UNFINISHED"],
  ] as const)("names the thread and the two commands: %s", async (_what, words, code, error) => {
    const ran = await run(...words);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(`error[${error}]`);
    const [, thread = "", goesOn, same, kill] = left(ran.stderr.trim().split("\n").at(-1) ?? "") ?? [];
    expect({ goesOn, same, kill }).toEqual({ goesOn: thread, same: " with the same --agent", kill: thread });
    expect(thread).toMatch(/^\w{4}$/);
    const agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: judged(true) }] });
    expect((await box.uwf(["thread", "run", thread, "--agent", agent])).code).toBe(0);
  });

  it("says nothing of --agent where none was given, and is one object for a program", async () => {
    both(alias("sh", "-c", "exit 3"));
    const ran = await run("--error-format", "json");
    const { hint } = JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "");
    expect(left(hint)?.[3]).toBeUndefined();
    expect((await box.uwf(["thread", "kill", left(hint)?.[1] ?? ""])).code).toBe(0);
  });

  it("says nothing of a thread that has ended", async () => {
    const failing = TURNS.replace("role: maker, condition: rejected", "role: $FAIL, condition: rejected");
    await box.prepare(["workflow", "put", box.write("turns.yaml", failing)]);
    const agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: judged(false) }] });
    const ran = await run("--agent", agent);
    expect(ran.code).toBe(10);
    expect(left(ran.stderr)).toBeNull();
  });
});
