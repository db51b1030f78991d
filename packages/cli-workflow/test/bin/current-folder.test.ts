import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES, REAL_MOCK, RUNTIMES, type Runtime, type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const packages = resolve(import.meta.dirname, "../../..");
const HERMES = join(packages, "workflow-agent-hermes/bin/uwf-hermes");
const JSON_CAS = join(packages, "cli-json-cas/bin/json-cas");
const KIT = join(packages, "workflow-agent-kit/dist/index.js");

/** Leaves a mark when anybody runs it. */
const EVIL = 'require("node:fs").writeFileSync(__dirname + "/owned", "yes");\n';

/** Everything by which a folder can get its code or its settings into a program that starts in it. */
function plant(box: Sandbox): void {
  const settings = [
    `UNCAGED_WORKFLOW_STORAGE_ROOT=${box.cwd}/stolen`,
    `WORKFLOW_STORAGE_ROOT=${box.cwd}/stolen`,
    "UWF_MOCK_SCENARIO=/nowhere",
    "UWF_RUNTIME=evil",
    "UWF_ERROR_FORMAT=json",
    `NODE_OPTIONS=--require ${box.cwd}/evil.cjs`,
    `BUN_OPTIONS=--preload ${box.cwd}/evil.cjs`,
    "HOSTILE=1",
    "",
  ].join("\n");
  for (const name of [".env", ".env.local", ".env.development", ".env.production", ".env.test"])
    box.write(name, settings);
  for (const name of ["evil.ts", "evil.js", "evil.cjs", "index.js", "index.ts"]) box.write(name, EVIL);
  box.write("bunfig.toml", 'preload = ["./evil.cjs"]\n[run]\nbun = true\n[test]\npreload = ["./evil.cjs"]\n');
  box.write(".npmrc", `script-shell=${box.cwd}/evil.cjs\nnode-options=--require ${box.cwd}/evil.cjs\n`);
  const paths = {
    "*": ["./evil.ts"],
    "../dist/bun/uwf.js": ["./evil.ts"],
    "../dist/bin/uwf.js": ["./evil.ts"],
  };
  for (const name of ["tsconfig.json", "jsconfig.json"])
    box.write(name, JSON.stringify({ compilerOptions: { baseUrl: ".", paths } }));
  box.write(
    "package.json",
    JSON.stringify({
      name: "uwf",
      type: "commonjs",
      main: "./evil.cjs",
      imports: { "#*": "./evil.cjs" },
      scripts: { uwf: "touch owned", preinstall: "touch owned" },
      bin: { uwf: "./evil.cjs" },
    }),
  );
  const modules = [
    "yaml",
    "dotenv",
    "commander",
    "cborg",
    "@uncaged/workflow-store",
    "@uncaged/workflow-agent-kit",
  ];
  for (const name of modules) {
    box.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    box.write(`node_modules/${name}/index.js`, EVIL.replace("__dirname", JSON.stringify(box.cwd)));
  }
  for (const name of ["node", "bun", "uwf-hermes", "hermes", "sh", "env"]) {
    chmodSync(box.write(name, `#!/bin/sh\ntouch '${box.cwd}/owned'\n`), 0o755);
    chmodSync(box.write(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch '${box.cwd}/owned'\n`), 0o755);
  }
  box.write("config.yaml", "agents: { evil: { command: ./evil.cjs } }\ndefaultAgent: evil\n");
}

function expectUntouched(box: Sandbox): void {
  expect(existsSync(join(box.cwd, "owned"))).toBe(false);
  expect(existsSync(join(box.cwd, "stolen"))).toBe(false);
}

/** A program of ours in the hostile folder, with the environment of the sandbox. */
function run(box: Sandbox, runtime: Runtime, program: string, args: readonly string[]) {
  const bun = (process.env.PATH ?? "").split(":").find((folder) => existsSync(join(folder, "bun")));
  const path = [...(bun === undefined ? [] : [bun]), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const env = { PATH: path, HOME: box.home, UWF_RUNTIME: runtime, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
  return spawnSync(program, args, { cwd: box.cwd, env, encoding: "utf8" });
}

const MATCHES = TURNS.replace(
  "steps[-1].output.approved = false",
  "\"$match(steps[-1].role, /x/).match = 'x'\"",
).replace("name: turns", "name: matches");

describe.each(RUNTIMES)("on %s, a hostile current folder", (runtime) => {
  it("has no effect on uwf and its mock agent, whatever lies in it", async () => {
    const box = sandbox(runtime);
    plant(box);
    await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")]);
    const { thread } = await box.json(["thread", "start", "analyze-topic", "-p", "x"]);
    const agent = `'${REAL_MOCK}' --scenario '${join(EXAMPLES, "analyze-topic.scenario.yaml")}'`;
    const withoutRoot = { UNCAGED_WORKFLOW_STORAGE_ROOT: "", WORKFLOW_STORAGE_ROOT: box.root };
    const output = await box.json(["thread", "step", thread, "--agent", agent], { env: withoutRoot });
    expect(output.done).toBe(true);
    for (const command of [
      ["thread", "read"],
      ["thread", "steps"],
      ["thread", "show"],
    ])
      expect((await box.uwf([...command, thread])).code).toBe(0);
    expectUntouched(box);
  });

  it("names no agent by a config.yaml, and failures are printed as the user wants them", async () => {
    const box = sandbox(runtime);
    plant(box);
    await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")]);
    const { thread } = await box.json(["thread", "start", "analyze-topic", "-p", "x"]);
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[NO_AGENT]");
    expectUntouched(box);
  });

  it("has no effect on the process in which a condition with a regular expression is evaluated", async () => {
    const box = sandbox(runtime);
    plant(box);
    await box.json(["workflow", "put", box.write("matches.yaml", MATCHES)]);
    const { thread } = await box.json(["thread", "start", "matches", "-p", "x"]);
    const scenario = box.write(
      "scenario.json",
      JSON.stringify({
        roles: {
          maker: [{ reply: "---\ntext: t\n---\n" }],
          checker: [{ reply: "---\napproved: true\n---\n" }],
        },
      }),
    );
    const agent = `'${REAL_MOCK}' --scenario '${scenario}'`;
    const ran = await box.uwf(["thread", "run", thread, "--max-steps", "2", "--agent", agent]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining("error") });
    expectUntouched(box);
  });

  it("has no effect on json-cas, uwf-hermes and an author's agent that Node.js runs", async () => {
    const box = sandbox(runtime);
    plant(box);
    const store = join(box.root, "cas");
    expect(run(box, runtime, JSON_CAS, ["--store", store, "schema", "put", '{"type":"object"}']).status).toBe(
      0,
    );
    expect(run(box, runtime, JSON_CAS, ["--store", store, "list"]).status).toBe(0);
    expect(run(box, runtime, HERMES, ["--version"]).stdout).toMatch(/^uwf-hermes \d/);
    await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "x"]);
    const hermes = await box.uwf(["thread", "step", thread, "--agent", `'${HERMES}'`]);
    expect(hermes.stderr).toContain("hermes was not found on PATH");
    const agent = box.write(
      "../author/agent.mjs",
      `#!/usr/bin/env node
import { createAgent } from ${JSON.stringify(KIT)};
await createAgent({ name: "own", run: ({ env }) => ({ kind: "output", value: { text: String(env.HOSTILE) } }) })();
`,
    );
    chmodSync(agent, 0o755);
    await box.json(["thread", "step", thread, "--agent", `'${agent}'`]);
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps.at(-1)?.output).toEqual({ text: "undefined" });
    expectUntouched(box);
  });
});

describe("NODE_OPTIONS", () => {
  it("is the user's: it works where they set it themselves", async () => {
    const box = sandbox("node");
    const file = box.write("mine.cjs", EVIL);
    const ran = await box.uwf(["--version"], { env: { NODE_OPTIONS: `--require ${file}` } });
    expect(ran.code).toBe(0);
    expect(existsSync(join(box.cwd, "owned"))).toBe(true);
  });
});
