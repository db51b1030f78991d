import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Doc, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

// arguments → exit code → code → message. None of them changes anything.

let box: Sandbox;
let active: string;
let ended: string;
let contentHash: string;
let workflowHash: string;

beforeAll(async () => {
  box = sandbox();
  ended = await startTurns(box, "Ended task");
  await box.json(["thread", "run", ended, "--agent", zoo("valid")]);
  active = await startTurns(box, "Active task");
  const { steps, workflow } = await box.json(["thread", "steps", ended]);
  contentHash = steps[1]?.detail ?? "";
  workflowHash = workflow;
});

type Case = readonly [
  name: string,
  args: () => readonly string[],
  exit: number,
  code: string,
  message: string,
];

const CASES: readonly Case[] = [
  ["an unknown command", () => ["thraed"], 2, "USAGE", "thread"],
  ["a group without a command", () => ["thread"], 2, "USAGE", "uwf thread needs a subcommand"],
  ["an unknown subcommand", () => ["thread", "stp"], 2, "USAGE", "step"],
  ["an unknown flag", () => ["thread", "list", "--al"], 2, "USAGE", "--all"],
  ["--format xml", () => ["thread", "list", "--format", "xml"], 2, "USAGE", "json, yaml"],
  ["a missing argument", () => ["thread", "step"], 2, "USAGE", "thread"],
  ["a second argument", () => ["thread", "show", "a", "b"], 2, "USAGE", "argument"],
  ["a quota of 0", () => ["thread", "read", active, "--quota", "0"], 2, "USAGE", "at least 1"],
  ["no prompt", () => ["thread", "start", "turns"], 2, "USAGE", "--prompt"],
  ["-p twice", () => ["thread", "start", "turns", "-p", "a", "-p", "b"], 2, "USAGE", "twice"],
  [
    "two sources of the prompt",
    () => ["thread", "start", "turns", "-p", "a", "--prompt-file", "x"],
    2,
    "USAGE",
    "not both",
  ],
  ["an empty prompt", () => ["thread", "start", "turns", "-p", ""], 4, "INVALID_INPUT", "empty"],
  ["a blank prompt", () => ["thread", "start", "turns", "-p", " \n"], 4, "INVALID_INPUT", "empty"],
  [
    "a missing prompt file",
    () => ["thread", "start", "turns", "--prompt-file", "none.md"],
    3,
    "FILE_NOT_FOUND",
    "none.md",
  ],
  [
    "an unknown workflow",
    () => ["thread", "start", "turn", "-p", "x"],
    3,
    "WORKFLOW_NOT_FOUND",
    'did you mean "turns"',
  ],
  [
    "a workflow hash of another node",
    () => ["thread", "start", contentHash, "-p", "x"],
    4,
    "WRONG_NODE_TYPE",
    "content",
  ],
  ["an empty thread id", () => ["thread", "step", ""], 2, "MALFORMED_THREAD_ID", "empty"],
  [
    "a thread id with a bad character",
    () => ["thread", "show", "01KAJ5E8ZJ4N7XK3M9T2V6W8YU"],
    2,
    "MALFORMED_THREAD_ID",
    "U",
  ],
  ["a thread id that is too long", () => ["thread", "show", `${active}0`], 2, "MALFORMED_THREAD_ID", "27"],
  [
    "a thread id above 7ZZZ…",
    () => ["thread", "show", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"],
    2,
    "MALFORMED_THREAD_ID",
    "7",
  ],
  ["a hash instead of a thread", () => ["thread", "show", workflowHash], 2, "MALFORMED_THREAD_ID", "hash"],
  [
    "an unknown thread",
    () => ["thread", "show", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
    3,
    "THREAD_NOT_FOUND",
    "01KAJ5E8",
  ],
  ["an ambiguous prefix", () => ["thread", "show", active.slice(0, 4)], 2, "AMBIGUOUS_PREFIX", "fits 2"],
  [
    "four characters of two ids for kill",
    () => ["thread", "kill", active.slice(0, 4)],
    2,
    "AMBIGUOUS_PREFIX",
    "fits 2",
  ],
  ["an ended thread for step", () => ["thread", "step", ended], 8, "THREAD_ENDED", "has ended"],
  ["an ended thread for kill", () => ["thread", "kill", ended], 8, "THREAD_ENDED", "has ended"],
  ["an unknown hash", () => ["thread", "fork", "0123456789ABC"], 3, "NODE_MISSING", "0123456789ABC"],
  ["a malformed hash", () => ["thread", "fork", "nothing!"], 2, "MALFORMED_HASH", "nothing!"],
  ["a fork of another type", () => ["thread", "fork", contentHash], 4, "WRONG_NODE_TYPE", "content"],
  [
    "details of another type",
    () => ["thread", "step-details", workflowHash],
    4,
    "WRONG_NODE_TYPE",
    "Workflow",
  ],
  [
    "--before of a stranger",
    () => ["thread", "read", ended, "--before", contentHash],
    4,
    "INVALID_INPUT",
    "not a step",
  ],
  [
    "--agent with an unbalanced quote",
    () => ["thread", "step", active, "--agent", "uwf-x 'a"],
    2,
    "MALFORMED_AGENT_COMMAND",
    "'a",
  ],
  [
    "an empty --agent",
    () => ["thread", "step", active, "--agent", ""],
    2,
    "MALFORMED_AGENT_COMMAND",
    "empty",
  ],
  ["no agent at all", () => ["thread", "step", active], 4, "NO_AGENT", "maker"],
  ["a completion for tcsh", () => ["completion", "tcsh"], 2, "USAGE", "tcsh"],
  ["a help topic that is none", () => ["help", "nothing"], 2, "USAGE", "nothing"],
];

describe("the command line refuses", () => {
  it.each(CASES)("%s", async (_name, args, exit, code, message) => {
    const before = box.snapshot();
    const ran = await box.uwf(args());
    expect({ exit: ran.code, stdout: ran.stdout }).toEqual({ exit, stdout: "" });
    expect(ran.stderr).toMatch(new RegExp(`^error\\[${code}\\]: .+\n(.*\n)*hint: .+\n$`));
    expect(ran.stderr).toContain(message);
    expect(box.snapshot()).toEqual(before);
  });

  it.each(["step", "run", "kill", "unlock", "unlock --force"])(
    "to %s a thread by three characters of its id, and says what they could mean",
    async (words) => {
      const before = box.snapshot();
      const ran = await box.uwf(["thread", ...words.split(" "), active.slice(0, 3)]);
      expect({ exit: ran.code, stdout: ran.stdout }).toEqual({ exit: 2, stdout: "" });
      expect(ran.stderr).toContain("error[PREFIX_TOO_SHORT]: ");
      expect(ran.stderr).toContain(
        `could mean ${[active, ended].sort().join(", ")}\nhint: give the complete id`,
      );
      expect(box.snapshot()).toEqual(before);
    },
  );

  it("with a hint that works when it is followed", async () => {
    for (const line of [
      ["thraed", "step"],
      ["thread", "setp"],
      ["thread", "step", "--nope"],
      ["help", "exit-code"],
    ]) {
      const { stderr } = await box.uwf(line);
      const hint = /^hint: see `uwf (.+)`$/m.exec(stderr)?.[1] ?? "no hint";
      expect({ line, code: (await box.uwf(hint.split(" "))).code }).toEqual({ line, code: 0 });
    }
  });

  it("with one object where --error-format json asks for it", async () => {
    const ran = await box.uwf(["thread", "show", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", "--error-format", "json"]);
    expect(JSON.parse(ran.stderr)).toEqual({
      code: "THREAD_NOT_FOUND",
      message: "there is no thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
      hint: expect.any(String),
      retryable: false,
      data: { thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" },
    });
  });

  it("never in a format that a wrong UWF_ERROR_FORMAT leaves open: that is refused, the line's own word goes first", async () => {
    const env = { UWF_ERROR_FORMAT: "jsno" };
    for (const args of [
      ["thread", "list"],
      ["thread", "step", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
    ]) {
      const ran = await box.uwf(args, { env });
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toContain('error[USAGE]: UWF_ERROR_FORMAT is "jsno"');
    }
    expect((await box.uwf(["thread", "list", "--error-format", "json"], { env })).code).toBe(0);
    expect((await box.uwf(["thread", "list"], { env: { UWF_ERROR_FORMAT: "" } })).code).toBe(0);
  });

  it("with one object where UWF_ERROR_FORMAT=json asks for it, usage errors included", async () => {
    const ran = await box.uwf(["thread", "list", "--nope"], { env: { UWF_ERROR_FORMAT: "json" } });
    expect(JSON.parse(ran.stderr)).toMatchObject({ code: "USAGE" });
  });

  it("a prompt with NUL or invalid UTF-8 on stdin", async () => {
    for (const stdin of [new Uint8Array([97, 0, 98]), new Uint8Array([0xff, 0xfe])]) {
      const ran = await box.uwf(["thread", "start", "turns", "-p", "-"], { stdin });
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain("error[INVALID_INPUT]");
    }
  });
});

describe("the command line accepts", () => {
  it("a prompt that starts with a dash, and one of 1 MB from a file", async () => {
    const dash = await box.json(["thread", "start", "turns", "-p", "--format is broken"]);
    expect((await box.json(["thread", "steps", dash.thread])).steps[0]?.prompt).toBe("--format is broken");
    const file = box.write("big.md", "x".repeat(1_000_000));
    const big = await box.json(["thread", "start", "turns", "--prompt-file", file]);
    expect((await box.json(["thread", "steps", big.thread])).steps[0]?.prompt).toHaveLength(1_000_000);
    for (const { thread } of [dash, big]) await box.json(["thread", "kill", thread]);
  });

  it("a thread id in lower case, and a unique prefix of it", async () => {
    expect((await box.json(["thread", "show", active.toLowerCase()])).thread).toBe(active);
    const listed = await box.json<readonly Doc[]>(["thread", "list", "--all"]);
    const others = listed.map(({ thread }) => thread).filter((id) => id !== active);
    const unique = [...active]
      .map((_, index) => active.slice(0, index + 1))
      .find((prefix) => others.every((id) => !id.startsWith(prefix)));
    expect((await box.json(["thread", "show", unique ?? active])).thread).toBe(active);
  });

  it("a workflow by path, hash, name, and by the project's own name first", async () => {
    const local = sandbox();
    const file = local.write(".workflows/turns.yaml", box.read("../project/turns.yaml"));
    local.write(".git/HEAD", "");
    expect(await local.json(["workflow", "list"])).toEqual([{ name: "turns", hash: null, origin: "local" }]);
    const byPath = await local.json(["workflow", "show", file]);
    await local.json(["workflow", "put", file]);
    const byName = await local.uwf(["workflow", "show", "turns"]);
    expect(byName.stderr).toBe("");
    const byHash = await local.json(["workflow", "show", byPath.hash]);
    expect(byHash).toEqual(JSON.parse(byName.stdout));
    expect(byHash).toMatchObject({ name: "turns", type: expect.any(String), timestamp: expect.any(Number) });
    // Once the file and the registered version differ, the reader is told which of the two it is.
    local.write(
      ".workflows/turns.yaml",
      box.read("../project/turns.yaml").replace(/^description: /mu, "description: New "),
    );
    expect((await local.uwf(["workflow", "show", "turns"])).stderr).toContain(
      join(local.cwd, ".workflows/turns.yaml"),
    );
  });

  it("--format yaml anywhere on the line", async () => {
    for (const args of [
      ["--format", "yaml", "thread", "list"],
      ["thread", "--format", "yaml", "list"],
      ["thread", "list", "--format=yaml"],
    ]) {
      const ran = await box.uwf(args);
      expect(ran.stdout).toContain(`- thread: ${active}`);
    }
  });
});
