import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { MOCK, RUNTIMES, reap, type Sandbox, sandbox } from "../support/uwf.js";

const KEY = "sk-test-0123456789abcdef#with a hash";
const PROVIDER = ["--provider", "openrouter", "--base-url", "https://openrouter.ai/api/v1"];
const FLAGS = ["setup", ...PROVIDER, "--model", "anthropic/claude-sonnet-4"];

/** Has uwf-llm and uwf-react. */
const LLM = resolve(import.meta.dirname, "../../../workflow-agent-llm/bin");

/** Has every agent of this repository. */
const BIN = resolve(import.meta.dirname, "../../../../node_modules/.bin");

const configOf = (box: Sandbox) => parse(readFileSync(join(box.root, "config.yaml"), "utf8"));

describe("setup with flags", () => {
  it("asks nothing, writes config.yaml and .env (0600), and prints paths and names, no key", async () => {
    const box = sandbox();
    const ran = await box.uwf([...FLAGS, "--api-key", "-", "--agent", "uwf-hermes --fast"], {
      stdin: `${KEY}\n`,
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^warning: agent uwf-hermes was not found on PATH [^\n]*\nhermes has idleSeconds: 900 in [^\n]*\nnext: check it with `uwf doctor`; [^\n]*\n$/,
    );
    expect(ran.stdout).not.toContain(KEY);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      config: join(box.root, "config.yaml"),
      env: join(box.root, ".env"),
      provider: "openrouter",
      model: "claude-sonnet-4",
      agent: "hermes",
    });
    expect(configOf(box)).toEqual({
      providers: { openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: "OPENROUTER_API_KEY" } },
      models: { "claude-sonnet-4": { provider: "openrouter", name: "anthropic/claude-sonnet-4" } },
      agents: { hermes: { command: "uwf-hermes", args: ["--fast"], idleSeconds: 900 } },
      defaultAgent: "hermes",
      defaultModel: "claude-sonnet-4",
    });
    expect(readFileSync(join(box.root, "config.yaml"), "utf8")).not.toContain("sk-test");
    expect(readFileSync(join(box.root, ".env"), "utf8")).toContain(KEY);
    expect(statSync(join(box.root, ".env")).mode & 0o777).toBe(0o600);
  });

  it("takes an agent alone, without a config and with one, and says what comes next", async () => {
    const box = sandbox();
    const first = await box.uwf(["setup", "--agent", `${MOCK} --fast`]);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain("next: check it with `uwf doctor`");
    expect(JSON.parse(first.stdout)).toMatchObject({ provider: null, model: null, agent: "mock" });
    expect(configOf(box)).toEqual({
      agents: { mock: { command: MOCK, args: ["--fast"], idleSeconds: 900 } },
      defaultAgent: "mock",
    });
    await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
    const before = configOf(box);
    expect((await box.uwf(["setup", "--agent", "uwf-other"])).code).toBe(0);
    expect(configOf(box)).toEqual({
      ...before,
      agents: { ...before.agents, other: { command: "uwf-other", args: [], idleSeconds: 900 } },
      defaultAgent: "other",
    });
  });

  it.each([
    [
      "claude -p",
      "claude cannot play a role: it is the program that uwf-claude drives",
      "--agent uwf-claude",
    ],
    ["uwf-gemini", "uwf-gemini cannot play a role: the program that it drives", "`uwf-gemini --check` says"],
    ["./agent.sh", "is not executable", "chmod +x"],
  ])("warns that %s cannot play a role yet, and writes it all the same", async (agent, why, fix) => {
    const box = sandbox();
    box.write("agent.sh", "#!/bin/sh\n");
    chmodSync(box.write("bin/claude", "#!/bin/sh\n"), 0o755);
    const env = { PATH: `${join(box.cwd, "bin")}:${BIN}:${box.environment.PATH}` };
    const ran = await box.uwf(["setup", "--agent", agent], { env });
    expect(ran.code, ran.stderr).toBe(0);
    const [warning = ""] = ran.stderr.split("\n");
    expect(warning).toContain("warning: ");
    expect(warning).toContain(why);
    expect(warning).toContain(fix);
    expect(configOf(box).defaultAgent).toBeDefined();
  });

  it("takes the key of a configured provider alone", async () => {
    const box = sandbox();
    await box.uwf([...FLAGS, "--api-key", "-"], { stdin: "old-key-old-key" });
    const before = configOf(box);
    const ran = await box.uwf(["setup", "--provider", "openrouter", "--api-key", "-"], { stdin: KEY });
    expect(ran.code, ran.stderr).toBe(0);
    expect(configOf(box)).toEqual(before);
    expect(readFileSync(join(box.root, ".env"), "utf8")).toContain(KEY);
  });

  it("keeps what it does not know, comments included", async () => {
    const box = sandbox();
    box.write(
      join(box.root, "config.yaml"),
      "# mine\nsomething: else\nagents:\n  zoo: { command: zoo } # the zoo\n",
    );
    const ran = await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("something");
    const text = readFileSync(join(box.root, "config.yaml"), "utf8");
    expect(text).toContain("# mine");
    expect(text).toContain("# the zoo");
    expect(configOf(box)).toMatchObject({ something: "else", agents: { zoo: { command: "zoo" } } });
  });

  it("takes a key that is in the environment already, and writes no .env for it", async () => {
    const box = sandbox();
    expect((await box.uwf(FLAGS, { env: { OPENROUTER_API_KEY: KEY } })).code).toBe(0);
    expect(existsSync(join(box.root, ".env"))).toBe(false);
  });

  it("warns about a key on the command line, and works", async () => {
    const box = sandbox();
    const ran = await box.uwf([...FLAGS, "--api-key", KEY]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("warning: ");
    expect(ran.stderr).not.toContain(KEY);
  });

  it("exits 2 and names everything that is missing", async () => {
    const box = sandbox();
    const ran = await box.uwf(["setup", "--provider", "openrouter"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    for (const name of ["--base-url", "--model", "--api-key", "OPENROUTER_API_KEY"])
      expect(ran.stderr).toContain(name);
    expect(box.snapshot()).toEqual({});
  });

  it.each([
    ["--base-url", "ftp://h"],
    ["--base-url", "nonsense"],
    ["--provider", "A B"],
    ["--model", " "],
  ])("exits 2 for %s %s, which its own reader would refuse, and writes nothing", async (flag, value) => {
    const box = sandbox();
    const ran = await box.uwf(
      [
        ...FLAGS.filter((_, index) => FLAGS[index] !== flag && FLAGS[index - 1] !== flag),
        flag,
        value,
        "--api-key",
        "-",
      ],
      { stdin: KEY },
    );
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(box.snapshot()).toEqual({});
  });

  it.each([
    [["uwf-llm"]],
    [["uwf-react --max-turns 5"]],
    [["uwf-worktree -- uwf-llm"]],
    [["/opt/bin/uwf-llm --model nowhere"]],
  ])(
    "exits 2 for --agent %j while config.yaml has no model for it, and names what is missing",
    async (agent) => {
      const box = sandbox();
      const ran = await box.uwf(["setup", "--agent", ...agent]);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      for (const name of ["--provider", "--base-url", "--model", "--api-key", "calls a model itself"])
        expect(ran.stderr).toContain(name);
      expect(box.snapshot()).toEqual({});
      await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
      const known = agent.map((words) => words.replace("nowhere", "claude-sonnet-4"));
      expect((await box.uwf(["setup", "--agent", ...known])).code).toBe(0);
    },
  );

  it.each(["uwf-exec", "uwf-acp --", "/opt/bin/uwf-worktree -- uwf-exec --"])(
    "exits 2 for --agent %j, which has no command to run",
    async (agent) => {
      const box = sandbox();
      const ran = await box.uwf(["setup", "--agent", agent]);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(/--agent "uwf-\w+ -- <command>"/);
      expect(box.snapshot()).toEqual({});
    },
  );

  it("lets uwf-llm play the roles where a model is named and no agent, or says that --agent is missing", async () => {
    const box = sandbox();
    const none = await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
    expect(none.code).toBe(0);
    expect(none.stderr).toContain("--agent is missing");
    expect(configOf(box)).not.toHaveProperty("defaultAgent");
    const PATH = `${LLM}:${box.environment.PATH}`;
    const ran = await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY, env: { PATH } });
    expect(ran.stderr).toContain("uwf-llm plays every role that has no other agent");
    expect(JSON.parse(ran.stdout)).toMatchObject({ agent: "llm", model: "claude-sonnet-4" });
    expect(configOf(box)).toMatchObject({ agents: { llm: { command: "uwf-llm" } }, defaultAgent: "llm" });
    await box.json(["setup", "--agent", "uwf-other"], { env: { PATH } });
    expect((await box.uwf(FLAGS, { env: { PATH } })).code).toBe(0);
    expect(configOf(box)).toMatchObject({ defaultAgent: "other" });
  });

  it("is contradicted by doctor where an agent in use has no model to call", async () => {
    const box = sandbox();
    box.write(join(box.root, "config.yaml"), "agents: { llm: { command: uwf-llm } }\ndefaultAgent: llm\n");
    const ran = await box.uwf(["doctor"], { env: { PATH: `${LLM}:${box.environment.PATH}` } });
    expect(ran.code).toBe(4);
    expect(ran.stdout).toContain("uwf-llm calls a model and config.yaml names none for it");
  });

  it("exits 2 without a terminal to ask on", async () => {
    const box = sandbox();
    const ran = await box.uwf(["setup"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("--provider, --base-url, --model, --api-key");
  });

  it("leaves a config.yaml that is broken as it is", async () => {
    const box = sandbox();
    const file = box.write(join(box.root, "config.yaml"), "agents: [\n");
    const ran = await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
    expect(ran.code).toBe(4);
    expect(readFileSync(file, "utf8")).toBe("agents: [\n");
  });

  it("warns about an .env that others can read", async () => {
    const box = sandbox();
    await box.uwf([...FLAGS, "--api-key", "-"], { stdin: KEY });
    writeFileSync(join(box.root, ".env"), "OPENROUTER_API_KEY=x\n", { mode: 0o644 });
    chmodSync(join(box.root, ".env"), 0o644);
    const ran = await box.uwf(FLAGS);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(".env");
  });
});

/** Answers each question of the wizard, once it is there: `[what is seen, what is typed]`. */
async function answerSetup(
  box: Sandbox,
  questions: readonly (readonly [seen: string, typed: string])[],
  bin = resolve(import.meta.dirname, "../../../workflow-agent-cli/bin"),
  runtime = "node",
): Promise<{ readonly code: unknown; readonly left: number; readonly shown: string }> {
  const claude = box.write("bin/claude", '#!/bin/sh\n[ "$1" != --version ] || echo "2.1.0 (Claude Code)"\n');
  chmodSync(claude, 0o755);
  const uwf = resolve(import.meta.dirname, "../../bin/uwf");
  const PATH = [dirname(claude), bin, box.environment.PATH].join(":");
  const env = {
    PATH,
    HOME: box.home,
    TERM: "xterm",
    UWF_RUNTIME: runtime,
    UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
  };
  const child = spawn("script", ["-qec", `stty cols 120 rows 40; '${uwf}' setup`, "/dev/null"], {
    cwd: box.cwd,
    env,
  });
  reap(child);
  let shown = "";
  let from = 0;
  const left = [...questions];
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const [seen, typed] = left[0] ?? [];
    const at = seen === undefined ? -1 : shown.indexOf(seen, from);
    if (at === -1) return;
    from = shown.length;
    left.shift();
    child.stdin.write(typed ?? "");
  });
  const code = await new Promise((done) => child.on("close", done));
  return { code, left: left.length, shown };
}

describe.skipIf(!existsSync("/usr/bin/script"))("setup on a terminal", () => {
  const DOWN = "\u001b[B";
  const OWN_LOGIN = ["no, the agent has its own login", "\r"] as const;

  it("never configures uwf-llm without a model: after Enter, Enter it asks for a provider, and Ctrl-D ends it", async () => {
    const box = sandbox();
    const { code, left, shown } = await answerSetup(
      box,
      [
        ["uwf-llm", "\r"],
        ["Provider", "\r"],
        ["API key", "\u0004"],
      ],
      LLM,
    );
    expect({ code, left }, shown).toEqual({ code: 130, left: 0 });
    expect(shown).toContain("uwf-llm calls a model itself");
    expect(shown).toContain("error[INTERRUPTED]");
    expect(existsSync(join(box.root, "config.yaml"))).toBe(false);
  });

  it.each(RUNTIMES)("says that Ctrl-D at the first question has ended it, on %s", async (runtime) => {
    const box = sandbox();
    const { code, shown } = await answerSetup(box, [["Default agent", "\u0004"]], LLM, runtime);
    expect({ code }, shown).toEqual({ code: 130 });
    expect(shown).toContain("error[INTERRUPTED]");
  });

  it("leads a user with Claude Code and no key to a config, and says what comes next", async () => {
    const box = sandbox();
    // Enter takes what is offered first.
    const { code, left, shown } = await answerSetup(box, [["uwf-claude", "\r"], OWN_LOGIN]);
    expect({ code, left }, shown).toEqual({ code: 0, left: 0 });
    expect(shown).toContain("next: check it with `uwf doctor`");
    expect(configOf(box)).toEqual({
      agents: { claude: { command: "uwf-claude", args: [], idleSeconds: 900 } },
      defaultAgent: "claude",
    });
    expect(existsSync(join(box.root, ".env"))).toBe(false);
  });

  it("offers to say what the agents of the project are, each once, and leaves out what is known", async () => {
    const box = sandbox();
    box.write(join(box.root, "config.yaml"), "agents: { known: { command: uwf-known } } # mine\n");
    box.write(
      ".workflows/config.yaml",
      "agentOverrides: { a: { x: careful, y: quick, z: known }, b: { x: careful, y: claude, z: never } }\n",
    );
    const { code, left, shown } = await answerSetup(box, [
      ["uwf-claude", "\r"],
      ['"careful" play x of a, x of b', "\r"],
      ['"quick" play y of a', `${DOWN}\r`],
      ["Its program and arguments", "uwf-llm --model 'small one'\r"],
      ['"never" play z of b', `${DOWN}${DOWN}\r`],
      OWN_LOGIN,
    ]);
    expect({ code, left }, shown).toEqual({ code: 0, left: 0 });
    expect(configOf(box)).toEqual({
      agents: {
        known: { command: "uwf-known" },
        claude: { command: "uwf-claude", args: [], idleSeconds: 900 },
        careful: { command: "uwf-claude", args: [], idleSeconds: 900 },
        quick: { command: "uwf-llm", args: ["--model", "small one"], idleSeconds: 900 },
      },
      defaultAgent: "claude",
    });
    expect(readFileSync(join(box.root, "config.yaml"), "utf8")).toContain("# mine");
  });
});

describe("setup with flags, in a project", () => {
  it("asks nothing about its agents", async () => {
    const box = sandbox();
    box.write(".workflows/config.yaml", "agentOverrides: { a: { x: careful } }\n");
    expect((await box.uwf(["setup", "--agent", "uwf-claude"])).code).toBe(0);
    expect(configOf(box).agents).toEqual({ claude: { command: "uwf-claude", args: [], idleSeconds: 900 } });
  });
});

describe("uwf alone", () => {
  it("prints its help, and exits 0", async () => {
    const box = sandbox();
    const ran = await box.uwf([]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toBe((await box.uwf(["--help"])).stdout);
  });

  it("suggests the group of a command typed without it", async () => {
    const ran = await sandbox().uwf(["step", "01"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("unknown command 'step', did you mean \"thread step\"?");
    expect(ran.stderr).toContain("`uwf help thread step`");
  });
});
