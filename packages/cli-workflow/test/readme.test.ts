import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES, MOCK, type Sandbox, sandbox } from "./support/uwf.js";

// Runs what README.md shows, block by block, in one sandbox: `<thread>` is the thread started before,
// uwf-hermes is a stand-in that plays the example's scenario, everything else is the real thing.

const packages = resolve(import.meta.dirname, "../..");
const README = readFileSync(resolve(packages, "../README.md"), "utf8");

type Block = { readonly language: string; readonly text: string };

const BLOCKS: readonly Block[] = [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

let box: Sandbox;
let thread = "";

beforeAll(() => {
  box = sandbox();
  cpSync(EXAMPLES, join(box.cwd, "examples"), { recursive: true });
  const standIn = box.write(
    "bin/uwf-hermes",
    `#!/bin/sh\nexec '${MOCK}' --scenario '${box.cwd}/examples/solve-issue.scenario.yaml' "$@"\n`,
  );
  chmodSync(standIn, 0o755);
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

function searchPath(): string {
  const bins = ["cli-workflow", "workflow-agent-mock", "cli-json-cas"].map((name) =>
    join(packages, name, "bin"),
  );
  return [join(box.cwd, "bin"), ...bins, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
}

function bash(script: string) {
  const env = {
    PATH: searchPath(),
    HOME: box.home,
    UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
    MY_KEY: "sk-test-0123456789abcdef",
    UWF_RUNTIME: "node",
    thread,
  };
  return spawnSync("bash", ["-euc", script], { cwd: box.cwd, env, encoding: "utf8" });
}

function runnable(text: string): string {
  return text.replaceAll("<thread>", thread).replaceAll("01KAJ5E8ZJ4N7XK3M9T2V6W8YB", thread);
}

async function freshThread(): Promise<string> {
  const started = await box.json([
    "thread",
    "start",
    "solve-issue",
    "-p",
    "The login page redirects in a loop. Fix it.",
  ]);
  return started.thread;
}

/** A thread of the README's workflow whose reviewer is the person of its other example. */
async function askedThread(): Promise<string> {
  const [workflow = "", person = ""] = BLOCKS.filter((block) => block.language === "yaml").map(
    ({ text }) => text,
  );
  const [line = ""] = /^ {4}agent: human.*$/m.exec(person) ?? [];
  const file = box.write("review-note.yaml", workflow.replace("  reviewer:\n", `  reviewer:\n${line}\n`));
  await box.json(["workflow", "put", file]);
  const { thread: started } = await box.json(["thread", "start", "review-note", "-p", "A note"]);
  const scenario = box.write("note.json", '{"roles":{"writer":[{"reply":"---\\nnote: A note.\\n---\\n"}]}}');
  await box.json(["thread", "step", started, "--agent", `'${MOCK}' --scenario '${scenario}'`]);
  return started;
}

describe("README.md", () => {
  const shell = BLOCKS.filter((block) => block.language === "sh").map((block) => block.text);

  it("shows shell commands at all", () => {
    expect(shell.length).toBeGreaterThan(8);
  });

  it("has two commands that do everything; both are scripts of package.json", () => {
    const scripts = JSON.parse(readFileSync(resolve(packages, "../package.json"), "utf8")).scripts;
    const commands = shell.filter((text) => text.startsWith("npx "));
    expect(commands).toEqual([
      "npx --yes --allow-scripts=bun bun@1.4.5 run demo\n",
      "npx --yes --allow-scripts=bun bun@1.4.5 run verify\n",
    ]);
    expect(scripts).toMatchObject({ demo: expect.any(String), verify: expect.any(String) });
  });

  it.each(shell.filter((text) => !text.startsWith("npx ")).map((text) => [text.split("\n")[0], text]))(
    "%s … works as shown",
    async (_first, text = "") => {
      const starts = text.includes("thread start");
      if (thread === "" && !starts && text.includes("thread")) thread = await freshThread();
      const ended = thread !== "" && (await box.json(["thread", "show", thread])).done;
      if (ended && /thread (step|run|next)/.test(text)) thread = await freshThread();
      if (text.includes("thread answer")) thread = await askedThread();
      const script = starts
        ? `${text.replace(/^(uwf thread start .*)$/m, 'started=$($1); echo "$started"; thread=$(echo "$started" | sed -n \'s/.*"thread": "\\(.*\\)".*/\\1/p\')').replaceAll("<thread>", "$thread")}\necho "THREAD=$thread"`
        : runnable(text);
      const ran = bash(script);
      expect({ status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr }).toEqual({
        status: 0,
        stderr: "",
      });
      thread = /THREAD=(\S+)/.exec(ran.stdout)?.[1] ?? thread;
    },
  );

  it("shows a crontab that works from any folder, and is quiet once the thread has ended", async () => {
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

  it("shows a loop that gives the caller the step's exit code, and 0 for a thread that had ended", async () => {
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

  it("shows a workflow that is put without a warning", async () => {
    const yaml = BLOCKS.find((block) => block.language === "yaml")?.text ?? "";
    const put = await box.json(["workflow", "put", box.write("review-note.yaml", yaml)]);
    expect(put).toMatchObject({ name: "review-note", hash: expect.any(String) });
  });

  it("shows the graph of a workflow as the command above it prints it", async () => {
    const drawn = await box.uwf(["workflow", "graph", "examples/solve-issue.yaml"]);
    expect(BLOCKS.filter(({ text }) => text.startsWith("● ")).map(({ text }) => text)).toEqual([
      drawn.stdout,
    ]);
  });

  it("shows a configuration that is read without a warning", async () => {
    const yaml = BLOCKS.find(({ text }) => text.includes("retries: 2"))?.text ?? "";
    const own = sandbox();
    own.write(join(own.root, "config.yaml"), yaml);
    await own.json(["workflow", "put", join(EXAMPLES, "solve-issue.yaml")]);
    const { thread: made } = await own.json(["thread", "start", "solve-issue", "-p", "x"]);
    const ran = await own.uwf(["thread", "step", made]);
    expect(ran.stderr).toMatch(/^error\[AGENT_NOT_FOUND\]: agent uwf-hermes was not found/);
  });

  it("shows an agent that works", async () => {
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

  it("lists every command of the program", async () => {
    const help = await box.uwf(["--help"]);
    const groups = ["workflow", "thread"];
    for (const group of groups) {
      const { stdout } = await box.uwf([group, "--help"]);
      for (const [, name] of stdout.matchAll(/^ {2}([a-z-]+) (?:\[|<|\w)/gm)) {
        if (
          name !== undefined &&
          stdout.includes("Commands:") &&
          stdout.indexOf(`  ${name} `) > stdout.indexOf("Commands:")
        )
          expect(README).toContain(`uwf ${group} ${name}`);
      }
    }
    for (const name of ["run", "log", "doctor", "setup", "cas", "completion"]) {
      expect(help.stdout).toContain(name);
      expect(README).toContain(`uwf ${name}`);
    }
  });
});
