import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Doc, EXAMPLES, MOCK, type Sandbox, type StepDoc, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const AGENT = `'${MOCK}' --scenario '${join(EXAMPLES, "solve-issue.scenario.yaml")}'`;

let box: Sandbox;
let thread: string;
let steps: readonly StepDoc[];

beforeAll(async () => {
  box = sandbox();
  await box.json(["workflow", "put", join(EXAMPLES, "solve-issue.yaml")]);
  thread = (await box.json(["thread", "start", "solve-issue", "-p", "Fix the port"])).thread;
  await box.json(["thread", "run", thread, "--agent", AGENT]);
  steps = (await box.json(["thread", "steps", thread])).steps;
});

const read = async (...args: readonly string[]): Promise<string> => {
  const ran = await box.uwf(["thread", "read", thread, ...args]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
};

const withoutReply = ({
  reply: _reply,
  extract: _extract,
  ...step
}: {
  readonly reply: unknown;
  readonly extract: unknown;
}) => step;
const withoutDetail = ({ detail: _detail, ...step }: StepDoc) => step;

const headings = (markdown: string): readonly string[] => markdown.match(/^## \d+\. \w+$/gm) ?? [];

describe("thread read", () => {
  it("shows the complete history if it fits: header, task, then every step", async () => {
    const markdown = await read("--quota", "100000");
    expect(markdown).toMatch(/^# Thread /);
    expect(markdown).toContain("## Task\n\n    Fix the port\n");
    expect(headings(markdown)).toEqual([
      "## 1. planner",
      "## 2. developer",
      "## 3. reviewer",
      "## 4. developer",
      "## 5. reviewer",
    ]);
    expect(markdown).not.toContain("earlier step");
  });

  it("shows the newest steps that fit the quota, at least one, and how to read the rest", async () => {
    const markdown = await read("--quota", "1");
    expect(headings(markdown)).toEqual(["## 5. reviewer"]);
    expect(markdown).toContain(`*4 earlier steps: \`uwf thread read ${thread} --before ${steps[5]?.hash}\`*`);
  });

  it("shows only what comes before a step, with the header on request", async () => {
    const before = await read("--quota", "100000", "--before", steps[2]?.hash ?? "");
    expect(headings(before)).toEqual(["## 1. planner"]);
    expect(before).not.toContain("# Thread ");
    expect(await read("--before", steps[2]?.hash ?? "", "--start")).toMatch(/^# Thread /);
  });

  it("is a document with the same steps where a format is asked for", async () => {
    const whole = JSON.parse(await read("--format", "json", "--quota", "100000"));
    const { hash, prompt, timestamp } = steps[0] as StepDoc & { readonly timestamp: number };
    expect(whole).toMatchObject({ thread, name: "solve-issue", state: "end", prompt, startedAt: timestamp });
    expect({ omitted: whole.omitted, hash: hash.length }).toEqual({ omitted: 0, hash: 13 });
    expect(whole.steps.map(withoutReply)).toEqual(steps.slice(1).map(withoutDetail));
    expect(whole.steps[0].reply).toEqual(expect.any(String));
    const newest = parse(await read("--format", "yaml", "--quota", "1"));
    expect({ omitted: newest.omitted, steps: newest.steps }).toEqual({
      omitted: 4,
      steps: whole.steps.slice(-1),
    });
  });
});

describe("thread fork", () => {
  it("makes a thread that goes on from a step; the old one stays where it is", async () => {
    const forked = await box.json<Doc & { readonly forkedFrom: { readonly step: string } }>([
      "thread",
      "fork",
      steps[2]?.hash ?? "",
    ]);
    expect(forked.forkedFrom).toMatchObject({ step: steps[2]?.hash });
    expect(await box.json(["thread", "show", forked.thread])).toMatchObject({
      head: steps[2]?.hash,
      done: false,
    });
    expect((await box.json<{ next: string }>(["thread", "next", forked.thread])).next).toBe("reviewer");
    await box.json(["thread", "step", forked.thread, "--agent", AGENT]);
    expect((await box.json(["thread", "show", thread])).head).toBe(steps[5]?.hash);
    await box.json(["thread", "kill", forked.thread]);
  });

  it("of a StartNode starts again, and of a last step ends at once without an agent", async () => {
    const { thread: anew } = await box.json(["thread", "fork", steps[0]?.hash ?? ""]);
    expect((await box.json<{ next: string }>(["thread", "next", anew])).next).toBe("planner");
    const { thread: over } = await box.json(["thread", "fork", steps[5]?.hash ?? ""]);
    expect(await box.json(["thread", "step", over, "--agent", "/nowhere"])).toMatchObject({
      done: true,
      head: steps[5]?.hash,
    });
    await box.json(["thread", "kill", anew]);
  });

  it("accepts a unique prefix of the hash", async () => {
    const { thread: forked } = await box.json([
      "thread",
      "fork",
      (steps[1]?.hash ?? "").slice(0, 8).toLowerCase(),
    ]);
    await box.json(["thread", "kill", forked]);
  });
});

describe("thread step-details", () => {
  it("prints the session with its texts in place, JSON unless YAML is asked for", async () => {
    const command = ["thread", "step-details", steps[1]?.hash ?? ""];
    const json = await box.json<Record<string, unknown>>(command);
    const yaml = await box.uwf([...command, "--format", "yaml"]);
    expect(() => JSON.parse(yaml.stdout)).toThrow();
    expect(parse(yaml.stdout)).toEqual(json);
    expect(json).toMatchObject({
      agent: "uwf-mock",
      role: "planner",
      raw: { text: expect.stringMatching(/^---\n/) },
      usage: null,
    });
  });
});

describe("thread next", () => {
  it("prints the next role and every condition with its value", async () => {
    const { thread: forked } = await box.json(["thread", "fork", steps[3]?.hash ?? ""]);
    expect(await box.json(["thread", "next", forked])).toMatchObject({
      thread: forked,
      head: steps[3]?.hash,
      next: "developer",
      transitions: [
        {
          role: "developer",
          condition: "notApproved",
          expression: "steps[-1].output.approved = false",
          value: true,
        },
        { role: "$END", condition: null, value: true },
      ],
    });
    await box.json(["thread", "kill", forked]);
  });
});

describe("thread run", () => {
  it("stops at --max-steps with exit 9, one line per step on stderr, the last step on stdout", async () => {
    const { thread: fresh } = await box.json(["thread", "start", "solve-issue", "-p", "Another"]);
    const ran = await box.uwf(["thread", "run", fresh, "--max-steps", "2", "--agent", AGENT]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread: fresh, done: false });
    expect(ran.stderr).toMatch(
      /^step 1: planner → \w{13} \(\d+ s\)\nstep 2: developer → \w{13} \(\d+ s\)\nerror\[RUN_UNFINISHED\]/,
    );
    await box.json(["thread", "kill", fresh]);
  });

  it("prints a line only for a step that was made", async () => {
    const turns = await startTurns(box);
    const untilChecker = ["thread", "run", turns, "--until", "checker", "--agent", zoo("valid")];
    const made = await box.uwf(untilChecker);
    expect(made.stderr).toMatch(/^step 1: maker → \w{13} \(\d+ s\)\n$/);
    expect(await box.uwf(untilChecker)).toMatchObject({ code: 0, stderr: "" });
    const unknown = await box.uwf(["thread", "run", turns, "--until", "nobody", "--agent", zoo("valid")]);
    expect(unknown.stderr).toMatch(/^error\[INVALID_INPUT\]/);
    await box.json(["thread", "kill", turns]);
  });

  it("ends with the failing step's fault", async () => {
    const turns = await startTurns(box);
    const ran = await box.uwf(["thread", "run", turns, "--agent", zoo("exit3")]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toContain("step 1: AGENT_FAILED");
    await box.json(["thread", "kill", turns]);
  });
});
