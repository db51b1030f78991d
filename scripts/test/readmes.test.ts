import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CODING_AGENTS } from "../coding-agents.js";
import { repository, run } from "./support/run.js";
import { writeFiles } from "./support/tree.js";

// What the READMEs beside the first one tell to type. The first one, json-cas and the kit test their own.

const cwd = mkdtempSync(join(tmpdir(), "uwf-readmes-"));

const WORKFLOW = `name: job
description: One role that may deliver anything
roles:
  worker:
    description: Works
    goal: Work
    capabilities: []
    procedure: Work.
    output: Whether it worked
    meta: { type: object, properties: { ok: { type: boolean } } }
conditions: {}
graph:
  $START: [{ role: worker, condition: null }]
  worker: [{ role: $END, condition: null }]
`;

/** How a command ends without the program or the model that it is there for: nothing of ours is missing. */
const WITHOUT: Readonly<Record<string, string>> = {
  "uwf-acp": "agent opencode was not found on PATH",
  "uwf-docx-diff": "no step before it has an outputDocx",
  ...Object.fromEntries(
    CODING_AGENTS.map(({ name, programs: [program] }) => [
      `uwf-${name}`,
      `agent ${program} was not found on PATH`,
    ]),
  ),
  "uwf-office": "office-agent exited with 4 as worker",
  "uwf-react": "there is no config.yaml",
};

/** Those that are published. */
const packages = readdirSync(join(repository, "packages")).filter((name) => name !== "faults");
const readmeOf = (name: string): string =>
  readFileSync(join(repository, "packages", name, "README.md"), "utf8");
const shellOf = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
const stepsIn = (text: string): readonly string[] =>
  shellOf(text)
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("uwf thread step "));

const env = {
  HOME: cwd,
  PATH: [join(repository, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  UNCAGED_WORKFLOW_STORAGE_ROOT: join(cwd, "store"),
  UWF_RUNTIME: "node",
};

const bash = (script: string) => run("bash", ["-euc", script], { cwd, env });

function start(name: string): string {
  const started = bash(`uwf thread start ${name} -p "A task"`);
  expect(started.code, started.stderr).toBe(0);
  return JSON.parse(started.stdout).thread;
}

beforeAll(() => {
  cpSync(join(repository, "examples"), join(cwd, "examples"), { recursive: true });
  writeFiles(cwd, {
    ".workflows/job.yaml": WORKFLOW,
    "package.json": JSON.stringify({ scripts: { test: "true" } }),
    "scenario.yaml": 'roles: { worker: [{ reply: "---\\nok: true\\n---\\n" }] }\n',
  });
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe("the packages' READMEs", () => {
  it.each(packages)("%s says how to install it, and names no package that the registry lacks", (name) => {
    const text = readmeOf(name);
    expect(text).toContain("[Install it from a checkout](../../README.md#installing)");
    expect(text).not.toMatch(/\b(npm (i|install|add)|bun (i|install|add)|npx|bunx) \S*@uncaged/);
  });

  const steps = packages.flatMap((name) => stepsIn(readmeOf(name)));

  it("show steps at all", () => {
    expect(steps.length).toBeGreaterThan(5);
  });

  it.each(steps)("%s works as typed, as far as what it calls is there", (line) => {
    const ran = bash(line.replace("<thread>", start("job")));
    const [, agent = ""] = /--agent "?([\w-]+)/.exec(line) ?? [];
    const lacks = WITHOUT[agent];
    if (lacks === undefined) expect(ran, ran.stderr).toMatchObject({ code: 0 });
    else {
      // The program that uwf-office starts is there, and fails.
      expect(ran.code).toBe(agent === "uwf-office" ? 6 : 4);
      expect(ran.stderr).toContain(lacks);
    }
  });
});

describe("examples/README.md", () => {
  it("leads a thread to its end and reads it", () => {
    const text = readFileSync(join(repository, "examples/README.md"), "utf8");
    const [first = "", second = ""] = shellOf(text);
    const [put = "", , step = ""] = first.split("\n");
    expect(bash(put).code).toBe(0);
    const thread = start("solve-issue");
    const stepped = bash(step.replace("<thread>", thread));
    expect(stepped.code, stepped.stderr).toBe(0);
    const ran = bash(step.replace("thread step", "thread run").replace("<thread>", thread));
    expect(JSON.parse(ran.stdout)).toMatchObject({ done: true, reason: "end" });
    expect(bash(second.replace("<thread>", thread)).stdout).toContain("A task");
  });

  it("leads one through its approval: asked, sent back, approved, published", () => {
    const text = readFileSync(join(repository, "examples/README.md"), "utf8");
    const lines = (shellOf(text).find((block) => block.includes("thread answer")) ?? "").trim().split("\n");
    const [put = "", begin = "", step = "", ...rest] = lines;
    expect(bash(put).code).toBe(0);
    const { thread } = JSON.parse(bash(begin).stdout);
    const type = (line: string) => bash(line.replace("<thread>", thread));
    const run = () => type(step.replace("thread step", "thread run"));
    expect(type(step).code).toBe(0);
    expect(type(step).code).toBe(9);
    for (const line of rest) expect(type(line).code, line).toBe(0);
    expect(bash("uwf thread list --held").stdout).not.toContain(thread);
    expect(run().code).toBe(9);
    expect(bash("uwf thread list --held").stdout).toContain(thread);
    const approved = (rest.at(-1) ?? "").replace("approved=false", "approved=true");
    expect(type(`${approved} --by Ada`).code).toBe(0);
    expect(JSON.parse(run().stdout)).toMatchObject({ done: true, reason: "end" });
    const { steps } = JSON.parse(type("uwf thread steps <thread>").stdout);
    const roles = ["writer", "editor", "writer", "editor", "publisher"];
    expect(steps.slice(1).map((each: { readonly role: string }) => each.role)).toEqual(roles);
    expect(steps[4].output).toMatchObject({ approved: true, answeredBy: "Ada" });
  });
});
