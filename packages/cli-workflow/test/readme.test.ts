import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Block, blocksOf, comparable, documentText, pathWith } from "./support/documents.js";
import { EXAMPLES, REAL_MOCK, type Sandbox, sandbox } from "./support/uwf.js";

// Runs what README.md and the documents behind it show, block by block, in one sandbox: `<thread>` is the thread started
// before, uwf-hermes and uwf-claude are stand-ins that play a scenario, everything else is the real thing.

const packages = resolve(import.meta.dirname, "../..");
const DOCUMENTS = ["README.md", "docs/agents.md", "docs/guide.md"].map((file) => ({
  file,
  blocks: blocksOf(documentText(file)),
}));
const BLOCKS: readonly Block[] = DOCUMENTS.flatMap(({ blocks }) => blocks);

let box: Sandbox;
let thread = "";
/** Where the next block is typed: a document's `cd` stays. */
let folder = "";

beforeAll(() => {
  box = sandbox();
  cpSync(EXAMPLES, join(box.cwd, "examples"), { recursive: true });
  for (const [name, scenario] of [
    ["uwf-hermes", `'${box.cwd}/examples/solve-issue.scenario.yaml'`],
    ["uwf-claude", `'${box.cwd}/door-sign/.workflows/door-sign.scenario.yaml'`],
  ] as const) {
    const standIn = box.write(`bin/${name}`, `#!/bin/sh\nexec '${REAL_MOCK}' --scenario ${scenario} "$@"\n`);
    chmodSync(standIn, 0o755);
  }
});

/** Ends as failed at once. */
const HOPELESS = `name: hopeless
description: Nobody even begins
roles: {}
conditions: {}
graph:
  $START:
    - { role: $FAIL, condition: null }
`;

const searchPath = (): string => `${pathWith(join(box.cwd, "bin"))}:${box.environment.PATH}`;

function bash(script: string, cwd = box.cwd) {
  const env = {
    ...box.environment,
    PATH: searchPath(),
    MY_KEY: "sk-test-0123456789abcdef",
    thread,
  };
  return spawnSync("bash", ["-euc", script], { cwd, env, encoding: "utf8" });
}

function runnable(text: string): string {
  return text.replaceAll("<thread>", thread).replaceAll("01KAJ5E8ZJ4N7XK3M9T2V6W8YB", thread);
}

async function freshThread(): Promise<string> {
  const started = await box.json([
    "thread",
    "start",
    "examples/solve-issue.yaml",
    "-p",
    "The login page redirects in a loop. Fix it.",
  ]);
  return started.thread;
}

/** A thread of the README's workflow whose reviewer is the person of the guide's example. */
async function askedThread(): Promise<string> {
  const yaml = BLOCKS.filter((block) => block.language === "yaml").map(({ text }) => text);
  const workflow = yaml.find((text) => text.startsWith("name: review-note")) ?? "";
  const [line = ""] = yaml.map((text) => /^ {4}agent: human.*$/m.exec(text)?.[0]).filter(Boolean);
  const file = box.write("review-note.yaml", workflow.replace("  reviewer:\n", `  reviewer:\n${line}\n`));
  await box.json(["workflow", "put", file]);
  const { thread: started } = await box.json(["thread", "start", "review-note", "-p", "A note"]);
  const scenario = box.write("note.json", '{"roles":{"writer":[{"reply":"---\\nnote: A note.\\n---\\n"}]}}');
  await box.json(["thread", "step", started, "--agent", `'${REAL_MOCK}' --scenario '${scenario}'`]);
  return started;
}

describe("README.md and the documents behind it", () => {
  const shell = BLOCKS.filter((block) => block.language === "sh").map((block) => block.text);

  it("show shell commands at all", () => {
    expect(shell.length).toBeGreaterThan(8);
  });

  it("have two commands that do everything; both are scripts of package.json", () => {
    const scripts = JSON.parse(readFileSync(resolve(packages, "../package.json"), "utf8")).scripts;
    const commands = shell.filter((text) => text.startsWith("npx "));
    expect(commands).toEqual([
      "npx --yes --allow-scripts=bun bun@1.4.5 run demo\n",
      "npx --yes --allow-scripts=bun bun@1.4.5 run verify\n",
    ]);
    expect(scripts).toMatchObject({ demo: expect.any(String), verify: expect.any(String) });
  });

  describe.each(DOCUMENTS)("$file", ({ file, blocks }) => {
    beforeAll(() => {
      folder = box.cwd;
    });

    it.each(
      blocks
        .filter(({ language, text }) => language === "sh" && !text.startsWith("npx "))
        .map(({ text }) => [text.split("\n")[0], text] as const),
    )("%s … works as shown", async (_first, text) => {
      const starts = text.includes("uwf thread start");
      const named = text.includes("<thread>") || text.includes("$thread");
      if (thread === "" && !starts && named) thread = await freshThread();
      const ended = thread !== "" && (await box.json(["thread", "show", thread])).done;
      if (ended && named && /thread (step|run|next)/.test(text)) thread = await freshThread();
      if (text.includes("thread answer")) thread = await askedThread();
      const script = starts
        ? `${text.replace(/^(uwf thread start .*)$/m, 'started=$($1); echo "$started"; thread=$(echo "$started" | sed -n \'s/.*"thread": "\\(.*\\)".*/\\1/p\')').replaceAll("<thread>", "$thread")}\necho "THREAD=$thread"`
        : runnable(text);
      // The script of a loop ends the shell itself.
      const ran = bash(text.includes("\nexit ") ? script : `${script}\necho "FOLDER=$PWD"`, folder);
      expect({ file, status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr }).toEqual({
        file,
        status: 0,
        stderr: "",
      });
      thread = /THREAD=(\S+)/.exec(ran.stdout)?.[1] ?? thread;
      folder = /^FOLDER=(.*)$/m.exec(ran.stdout)?.[1] ?? folder;
    });
  });

  it("show a crontab that works from any folder, and is quiet once the thread has ended", async () => {
    const crontab = BLOCKS.find((block) => block.text.includes("*/5"))?.text ?? "";
    const [path = "", entry = ""] = crontab.trim().split("\n");
    expect(path).toMatch(/^PATH=\/[^$]*$/);
    thread = await freshThread();
    const command = runnable(entry.replace(/^(\S+ ){5}/, ""));
    const fire = () =>
      spawnSync("/bin/sh", ["-c", command], {
        cwd: "/",
        env: { HOME: box.home, PATH: searchPath(), UNCAGED_WORKFLOW_STORAGE_ROOT: box.root },
        encoding: "utf8",
      });
    expect(fire()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const log = (): string => readFileSync(join(box.home, "uwf.log"), "utf8");
    expect(log()).toContain('"done": false');
    await box.json(["thread", "kill", thread]);
    const before = log();
    expect(fire()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(log()).toBe(before);
  });

  it("show a loop that gives the caller the step's exit code, and 0 for a thread that had ended", async () => {
    const loop = shell.find((text) => text.includes("while ")) ?? "";
    thread = await freshThread();
    expect(bash(loop).status).toBe(0);
    expect(bash(loop)).toMatchObject({ status: 0, stdout: "" });
    thread = await freshThread();
    expect(bash(loop.replace("thread step", "thread step --agent uwf-nowhere")).status).toBe(4);
    expect(bash(loop.replace("thread step", "thread step --agent false")).status).toBe(6);
    await box.json(["workflow", "put", box.write("hopeless.yaml", HOPELESS)]);
    ({ thread } = await box.json(["thread", "start", "hopeless", "-p", "x"]));
    const failed = bash(loop);
    expect(failed.status).toBe(10);
    expect(failed.stdout).toContain('"reason": "failed"');
  });

  it("show a workflow that is put without a warning", async () => {
    const yaml = BLOCKS.find(({ text }) => text.startsWith("name: review-note"))?.text ?? "";
    const put = await box.json(["workflow", "put", box.write("review-note.yaml", yaml)]);
    expect(put).toMatchObject({ name: "review-note", hash: expect.any(String) });
  });

  it("show a mistake in it as `validate` finds it", async () => {
    const yaml = BLOCKS.find(({ text }) => text.startsWith("name: review-note"))?.text ?? "";
    const shown = BLOCKS.find(({ text }) => text.startsWith("review-note.yaml:"))?.text ?? "nothing";
    const cwd = join(box.cwd, "mistake");
    box.write("mistake/review-note.yaml", yaml.replace("approved = false", "approved = 'false'"));
    const ran = await box.uwf(["workflow", "validate", "review-note.yaml", "--format", "text"], { cwd });
    expect(ran.code).toBe(4);
    expect(ran.stdout).toContain(shown);
  });

  it("show the graph of a workflow as the command above it prints it", async () => {
    const drawn = await box.uwf(["workflow", "graph", "examples/write-note.yaml"]);
    expect(BLOCKS.filter(({ text }) => text.startsWith("● ")).map(({ text }) => text)).toEqual([
      drawn.stdout,
    ]);
  });

  it("show a configuration that is read without a warning", async () => {
    const yaml = BLOCKS.find(({ text }) => text.includes("retries: 2"))?.text ?? "";
    const own = sandbox();
    own.write(join(own.root, "config.yaml"), yaml);
    await own.json(["workflow", "put", join(EXAMPLES, "solve-issue.yaml")]);
    const { thread: made } = await own.json(["thread", "start", "solve-issue", "-p", "x"]);
    const ran = await own.uwf(["thread", "step", made]);
    expect(ran.stderr).toMatch(/^error\[AGENT_NOT_FOUND\]: agent uwf-hermes was not found/);
  });

  it("show an agent that works", async () => {
    const source = BLOCKS.find((block) => block.language === "js")?.text ?? "";
    mkdirSync(join(box.cwd, "node_modules/@uncaged"), { recursive: true });
    const kit = join(packages, "workflow-agent-kit/dist/index.js");
    const agent = box.write("uwf-echo.mjs", source.replace("@uncaged/workflow-agent-kit", kit));
    chmodSync(agent, 0o755);
    const { thread: noted } = await box.json(["thread", "start", "review-note", "-p", "Say hello"]);
    const output = await box.json(["thread", "step", noted, "--agent", agent]);
    const { steps } = await box.json(["thread", "steps", noted]);
    expect(steps.at(-1)).toMatchObject({
      hash: output.head,
      role: "writer",
      agent: expect.stringMatching(/uwf-echo\.mjs$/),
      output: { note: expect.stringContaining("Say hello") },
    });
  });

  it("show a test as it is printed", async () => {
    const [played = ""] = BLOCKS.map(({ text }) => text).filter((text) => text.startsWith("door-sign "));
    const cwd = join(box.cwd, "door-sign");
    const tested = await box.uwf(["workflow", "test", "door-sign", "--format", "text"], { cwd });
    expect(comparable(tested.stdout)).toBe(comparable(played));
  });
});
