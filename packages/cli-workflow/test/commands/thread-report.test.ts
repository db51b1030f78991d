import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { EXAMPLES, MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

const step = (thread: string, behaviour: string) =>
  box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);

/** A thread of maker and checker with a step of each, the checker's text sent back once. */
async function turnsThread(): Promise<string> {
  const thread = await startTurns(box, "Make <it> & check it");
  for (const behaviour of ["valid", "rejecting"]) expect((await step(thread, behaviour)).code).toBe(0);
  return thread;
}

async function pageOf(thread: string, ...options: readonly string[]): Promise<string> {
  const ran = await box.uwf(["thread", "report", thread, "-o", "-", ...options]);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return ran.stdout;
}

/** What a reader sees of a page. */
const textOf = (page: string): string =>
  page
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("thread report", () => {
  it("writes a file of the workflow's name, and says where", async () => {
    const thread = await turnsThread();
    const written = await box.json<{ file: string; size: number }>(["thread", "report", thread]);
    expect(written.file).toBe(join(box.cwd, `turns-${thread.slice(-6)}.html`));
    expect(written.size).toBe(statSync(written.file).size);
    expect(readFileSync(written.file, "utf8")).toMatch(/^<!doctype html>\n/);
  });

  it("replaces no file without --force", async () => {
    const thread = await turnsThread();
    const file = box.write("mine.html", "mine");
    const refused = await box.uwf(["thread", "report", thread, "-o", "mine.html"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await box.json(["thread", "report", thread, "-o", "mine.html", "--force"]);
    expect(readFileSync(file, "utf8")).toContain("<!doctype html>");
  });

  it("takes no name that says another format", async () => {
    const refused = await box.uwf(["thread", "report", "latest", "-o", "out/report.PDF"]);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringMatching(
        /: out\/report\.PDF: a report is an HTML file, not a \.PDF\nhint: name it \.html; /,
      ),
    ]);
  });

  it("gives the same bytes for the same thread, and writes nothing into the store", async () => {
    const thread = await turnsThread();
    const before = box.snapshot();
    expect(await pageOf(thread)).toBe(await pageOf(thread.slice(-6).toLowerCase()));
    expect(box.snapshot()).toEqual(before);
  });

  it("says what was asked, what came out of every step, and what comes next", async () => {
    const text = textOf(await pageOf(await turnsThread()));
    expect(text).toContain("Make &lt;it&gt; &amp; check it");
    expect(text).toContain("1 maker text: made");
    expect(text).toContain("2 checker approved: false");
    expect(text).toContain("rejected steps[-1].output.approved = false true → maker");
    expect(text).toContain("reply of checker");
    expect(text).toContain("next");
  });

  it("tells failed runs with what the log knows of them", async () => {
    const thread = await startTurns(box);
    expect((await step(thread, "exit3")).code).toBe(6);
    await step(thread, "valid");
    const page = await pageOf(thread);
    expect(textOf(page)).toMatch(/1 maker 1 failed run text: made/);
    expect(textOf(page)).toMatch(/Failed runs before it maker failed: /);
    expect(page).toMatch(/<rect class="failure"/);
  });

  it("reads a thread whose log cannot be read, and says so", async () => {
    const thread = await turnsThread();
    const logs = join(box.root, "logs");
    rmSync(logs, { recursive: true });
    box.write(logs, "not a folder");
    const ran = await box.uwf(["thread", "report", thread, "-o", "-"]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^warning: the failed runs are not known: /);
    expect(ran.stdout).toContain("failed runs are not known");
  });

  it("leaves out command lines if it is to be shared", async () => {
    const thread = await startTurns(box);
    const secret = `${zoo("valid")} --token=abcdef`;
    await box.json(["thread", "step", thread, "--agent", secret]);
    await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")]);
    const page = await pageOf(thread, "--no-details");
    expect(page).not.toContain("zoo.mjs");
    expect(page).not.toContain("abcdef");
    expect(page).toContain("are left out");
  });

  it("refuses a thread that does not exist", async () => {
    const refused = await box.uwf(["thread", "report", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("the decisions of a report", () => {
  const slow = TURNS.replace(
    "expression: steps[-1].output.approved = false",
    "expression: $string(steps[-1].output.approved) = 'false'",
  );

  it("are those of next roles where a condition costs time, and evaluated with --explain", async () => {
    await box.json(["workflow", "put", box.write("turns.yaml", slow)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "x"]);
    for (const behaviour of ["valid", "rejecting", "valid"]) await step(thread, behaviour);
    const condition = "rejected $string(steps[-1].output.approved) = &#39;false&#39;";
    expect(textOf(await pageOf(thread))).toContain(`${condition} true: the thread went this way → maker`);
    const explained = textOf(await pageOf(thread, "--explain"));
    expect(explained).toContain(`${condition} true → maker`);
    expect(explained).not.toContain("the thread went");
  });
});

describe("a report of threads and people", () => {
  it("has child threads, and the answers of people with their questions", async () => {
    for (const name of ["develop", "ship-issue"])
      await box.json(["workflow", "put", join(EXAMPLES, `${name}.yaml`)]);
    const scenario = join(EXAMPLES, "ship-issue.scenario.yaml");
    box.write(
      join(box.root, "config.yaml"),
      `agents: { mock: { command: ${MOCK}, args: [--scenario, ${scenario}] } }\ndefaultAgent: mock\n`,
    );
    const { thread } = await box.json(["thread", "start", "ship-issue", "-p", "Ship it"]);
    for (const _ of ["planner", "developer"]) await box.json(["thread", "step", thread]);
    expect((await box.uwf(["thread", "step", thread])).code).toBe(9);
    const waiting = await pageOf(thread);
    expect(textOf(waiting)).toContain("Waits for approver");
    await box.json([
      "thread",
      "answer",
      thread,
      "--field",
      "approved=true",
      "--field",
      "comments=ok",
      "--by",
      "ada",
    ]);
    await box.json(["thread", "step", thread]);
    const page = await pageOf(thread);
    const text = textOf(page);
    expect(text).toMatch(/ship-issue ended/);
    expect(text).toContain("developer develop ended");
    expect(text).toContain("answered by ada on the command line");
    expect(page.match(/<svg [^>]*class="uwf-graph"/g)).toHaveLength(2);
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toContain("s2c0-s5");
  });
});
