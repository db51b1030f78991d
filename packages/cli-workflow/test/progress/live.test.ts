import { beforeEach, describe, expect, it } from "vitest";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { startGate } from "../support/gate.js";
import { HAS_TERMINALS, showOn } from "../support/shown.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

// What somebody sees who runs steps by hand.

let box: Sandbox;
let thread = "";

beforeEach(async () => {
  box = sandbox();
  thread = await startTurns(box);
});

const USAGE = { inputTokens: 1000, outputTokens: 234, costUsd: 0.05 };

/** Twice round: the second text is accepted. */
function scenario(first: object = {}): string {
  return mockWith(box, {
    maker: [{ reply: MADE, usage: USAGE, ...first }, { reply: MADE }],
    checker: [{ reply: judged(false) }, { reply: judged(true) }],
  });
}

/** Times depend on the machine. */
const timeless = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replaceAll(/\d+(?:\.\d)? (?:ms|s)\b/g, "T"));

const typed = (...words: readonly string[]): string =>
  ["uwf", ...words].map((word) => (/[ "]/.test(word) ? `"${word}"` : word)).join(" ");

describe.skipIf(!HAS_TERMINALS)("thread run on a terminal", () => {
  it("shows a line for each step: number, role, what decided, who comes next, time and cost", async () => {
    const ran = await showOn(box, typed("thread", "run", thread, "--agent", scenario()));
    expect(ran.code).toBe(0);
    expect(timeless(ran.lines)).toEqual([
      "  1 maker    → checker  T  $0.0500",
      "  2 checker  approved: false → maker  T",
      "  3 maker    → checker  T",
      "  4 checker  approved: true → done  T",
      "ended: 4 steps, T, $0.0500",
    ]);
  });

  it("has one line that is redrawn while an agent works, and its stderr indented under its name", async () => {
    const agent = scenario({ stderr: "Reading the code\nand the tests", delayMs: 400 });
    const ran = await showOn(box, typed("thread", "run", thread, "--max-steps", "1", "--agent", agent));
    expect(ran.drawn.length).toBeGreaterThan(0);
    for (const line of ran.drawn) expect(line).toMatch(/^\S 1 maker {2}uwf-mock {2}\d+ s/);
    expect(timeless(ran.lines).slice(0, 4)).toEqual([
      "  1 maker  uwf-mock",
      "    Reading the code",
      "    and the tests",
      "  1 maker    → checker  T  $0.0500",
    ]);
  });

  it("shows the tokens and the last words that the agent reports while it works", async () => {
    const report = JSON.stringify({
      sessionId: null,
      usage: { inputTokens: 3000, outputTokens: 400, totalTokens: 3400, costUsd: null },
      words: "I look\u001b[2J at the login\u202e first",
    });
    const works = box.write(
      "works.sh",
      `cd "$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN"\necho '${report}' >report.json\nsleep 3\nexit 1\n`,
    );
    const ran = await showOn(box, typed("thread", "run", thread, "--agent", `sh '${works}'`));
    expect(ran.drawn.join("\n")).toMatch(
      /1 maker {2}sh {2}\d s {2}3\.4k tokens {2}I look at the login first/,
    );
  });

  it("says an error once, as its last word", async () => {
    const ran = await showOn(box, typed("thread", "run", thread, "--agent", "sh -c 'exit 3'"));
    expect(ran.code).toBe(6);
    expect(ran.raw.match(/AGENT_FAILED/g)).toHaveLength(1);
    expect(ran.lines.at(-2)).toMatch(/^error\[AGENT_FAILED\]/);
    expect(ran.lines.at(-1)).toMatch(/^hint: /);
  });

  it("says why it stops early once, and what it came to", async () => {
    const bounded = await showOn(
      box,
      typed("thread", "run", thread, "--max-steps", "1", "--agent", scenario()),
    );
    expect(bounded.code).toBe(9);
    expect(timeless(bounded.lines)).toEqual([
      "  1 maker    → checker  T  $0.0500",
      "1 step, T, $0.0500",
      `error[RUN_UNFINISHED]: thread ${thread} has not ended after 1 step, the limit of --max-steps`,
      expect.stringMatching(/^hint: /),
    ]);
    const gate = await startGate(box);
    const held = await showOn(box, typed("thread", "run", gate, "--agent", scenario()));
    expect(timeless(held.lines)[0]).toBe("  1 maker    → checker  T  $0.0500");
    expect(held.raw.match(/WAITING_FOR_ANSWER/g)).toHaveLength(1);
    const again = await showOn(box, typed("thread", "run", gate));
    expect(again.lines[0]).toMatch(/^error\[WAITING_FOR_ANSWER\]/);
  });

  it("prints the role of --until, and stops before it", async () => {
    const ran = await showOn(
      box,
      typed("thread", "run", thread, "--until", "checker", "--agent", scenario()),
    );
    expect(ran.code).toBe(0);
    expect(timeless(ran.lines)).toEqual([
      "  1 maker    → checker  T  $0.0500",
      "next is checker: 1 step, T, $0.0500",
    ]);
  });

  it.each([20, 30, 80, 200])("never draws a line that is wider than %i columns", async (columns) => {
    const agent = scenario({ stderr: `${"日本語 ".repeat(60)}and so on`, delayMs: 300 });
    const line = typed("thread", "run", thread, "--max-steps", "1", "--agent", agent);
    const ran = await showOn(box, line, { columns });
    expect(ran.drawn.length).toBeGreaterThan(0);
    for (const drawn of ran.drawn) expect(widthOf(drawn)).toBeLessThan(columns);
    for (const shown of ran.lines.filter((each) => each.startsWith("    ")))
      expect(widthOf(shown)).toBeLessThanOrEqual(Math.max(columns, 24));
  });

  it("has colours unless NO_COLOR, --color or the terminal say otherwise", async () => {
    const line = typed("thread", "run", thread, "--max-steps", "1", "--agent", scenario());
    expect((await showOn(box, line)).raw).not.toContain("\u001b[1m");
    expect((await showOn(box, line, { env: { NO_COLOR: "" } })).raw).toContain("\u001b[1m");
    expect((await showOn(box, `${line} --color never`, { env: { NO_COLOR: "" } })).raw).not.toContain(
      "\u001b[1m",
    );
  });

  it("prints as into a file where the terminal cannot redraw a line", async () => {
    const ran = await showOn(box, typed("thread", "run", thread, "--max-steps", "1", "--agent", scenario()), {
      env: { TERM: "dumb" },
    });
    expect(ran.raw).not.toContain("\u001b");
    expect(ran.lines[0]).toMatch(/^step 1: maker → \w{13} \(\d+ s\)$/);
  });

  it("shows all of it on stderr, and the document where stdout goes elsewhere", async () => {
    const ran = await showOn(
      box,
      `${typed("thread", "run", thread, "--agent", scenario())} >out.json; cat out.json`,
    );
    expect(timeless(ran.lines).slice(0, 4).at(-1)).toBe("  4 checker  approved: true → done  T");
    expect(JSON.parse(ran.lines.slice(4).join("\n"))).toMatchObject({ thread, done: true });
  });

  it("prints the document on a terminal too where --format asks for it", async () => {
    const ran = await showOn(box, typed("thread", "run", thread, "--format", "json", "--agent", scenario()));
    expect(JSON.parse(ran.lines.slice(4).join("\n"))).toMatchObject({ thread, done: true });
  });

  it("with --quiet shows the result alone", async () => {
    const agent = scenario({ stderr: "Reading the code", delayMs: 300 });
    const ran = await showOn(box, typed("thread", "run", thread, "--quiet", "--agent", agent));
    expect(timeless(ran.lines)).toEqual(["ended: 4 steps, T, $0.0500"]);
  });
});

describe.skipIf(!HAS_TERMINALS)("thread step on a terminal", () => {
  it("prints the step's line as its result, once", async () => {
    const step = typed("thread", "step", thread, "--agent", scenario());
    expect(timeless((await showOn(box, step)).lines)).toEqual(["  1 maker    → checker  T  $0.0500"]);
    expect(timeless((await showOn(box, step)).lines)).toEqual(["  2 checker  approved: false → maker  T"]);
  });

  it("prints it on stderr where stdout goes to another program, which gets the document", async () => {
    const ran = await showOn(
      box,
      `${typed("thread", "step", thread, "--agent", scenario())} | cat >out.json; cat out.json`,
    );
    expect(timeless(ran.lines)[0]).toBe("  1 maker    → checker  T  $0.0500");
    expect(JSON.parse(ran.lines.slice(1).join("\n"))).toMatchObject({ thread, done: false });
  });

  it("says an error once", async () => {
    const ran = await showOn(box, typed("thread", "step", thread, "--agent", "sh -c 'exit 3'"));
    expect(ran.code).toBe(6);
    expect(ran.lines.filter((line) => line.includes("AGENT_FAILED"))).toHaveLength(1);
  });

  it("prints one JSON object and no line of its own with --error-format json", async () => {
    const words = ["thread", "step", thread, "--error-format", "json", "--agent", "sh -c 'exit 3'"];
    const ran = await showOn(box, typed(...words));
    expect(ran.lines.map((line) => JSON.parse(line).code)).toEqual(["AGENT_FAILED"]);
  });

  it("gives a retry the number of its run", async () => {
    const words = ["thread", "step", thread, "--retries", "1", "--agent", "sh -c 'echo no >&2; exit 3'"];
    const ran = await showOn(box, typed(...words), { env: { UWF_BACKOFF_SECONDS: "0" } });
    expect(ran.lines.slice(0, 5)).toEqual([
      "  1 maker  sh",
      "    no",
      expect.stringContaining("retry 1 of 1 in 0 s"),
      "  1 maker  sh, run 2",
      "    no",
    ]);
  });
});

/** Twice as wide are the characters of this test that are no ASCII, but for what uwf writes. */
function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[日本語]/.test(character) ? 2 : 1), 0);
}
