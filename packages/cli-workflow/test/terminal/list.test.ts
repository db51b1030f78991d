import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../src/screen/index.js";
import { startWorking } from "../operator/support.js";
import { startGate } from "../support/gate.js";
import { COLOURS, CONTROLS, HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { ended, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const HOSTILE = "\u001b[2Jevil\u001b]0;title\u0007\r\nnext\tline \u202egnp.exe \u009b31mred";
const WIDE =
  "日本語のタスク 👩‍👩‍👧‍👦 und eine lange Beschreibung, die in keine Zeile eines schmalen Terminals passt";

let box: Sandbox;
/** By what became of them. */
let threads: Readonly<Record<"active" | "ended" | "failing" | "paused" | "killed" | "asked", string>>;

beforeAll(async () => {
  box = sandbox();
  const active = await startTurns(box, WIDE);
  await box.uwf(["thread", "step", active, "--agent", zoo("valid")]);
  const ended = await startTurns(box, "Done by now");
  await box.uwf(["thread", "run", ended, "--agent", zoo("valid")]);
  const failing = await startTurns(box, HOSTILE);
  await box.uwf(["thread", "step", failing, "--agent", "false"]);
  const paused = await startTurns(box, "Wait");
  await box.uwf(["thread", "pause", paused, "-m", "for the release"]);
  const killed = await startTurns(box, "Never mind");
  await box.uwf(["thread", "kill", killed]);
  const asked = await startGate(box);
  // The second step finds that a person is asked.
  for (const _ of [1, 2]) await box.uwf(["thread", "step", asked, "--agent", zoo("valid")]);
  threads = { active, ended, failing, paused, killed, asked };
}, 60_000);

const plain = (text: string): string => text.replace(COLOURS, "");
const end = (name: keyof typeof threads): string => threads[name].slice(-4);
const rowOf = (text: string, name: keyof typeof threads): string =>
  plain(text)
    .split("\n")
    .find((line) => line.startsWith(end(name))) ?? "";

describe.skipIf(!HAS_TERMINALS)("thread list on a terminal", () => {
  it.each([80, 200])("is a table no wider than its %i columns", async (columns) => {
    const ran = await onTerminal(box, ["thread", "list", "--all"], { columns, env: {} });
    expect(ran.code).toBe(0);
    const lines = plain(ran.stdout).trimEnd().split("\n");
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^ID +WORKFLOW +STATE +NEXT +STEPS +STARTED +TASK$/);
    expect(lines.every((line) => widthOf(line) <= columns)).toBe(true);
    expect(rowOf(ran.stdout, "active")).toMatch(
      /^.{4} +turns +active +checker +1 +(now|\d+ (s|min) ago) +日本語/,
    );
    expect(rowOf(ran.stdout, "active").endsWith("…")).toBe(columns === 80);
    expect(rowOf(ran.stdout, "ended")).toMatch(/ ended +2 .* Done by now$/);
    expect(rowOf(ran.stdout, "failing")).toMatch(/ failing +maker +0 .* evil next line gnp\.exe red$/);
    expect(rowOf(ran.stdout, "paused")).toMatch(/ held +maker +0 /);
    expect(rowOf(ran.stdout, "killed")).toMatch(/ killed +0 /);
    expect(rowOf(ran.stdout, "asked")).toMatch(/ gate +held +checker +1 /);
  });

  it("begins its columns at the same place in every line, wide characters or not", async () => {
    const ran = await onTerminal(box, ["thread", "list", "--all"], { columns: 120, env: {} });
    const [titles = "", ...rows] = plain(ran.stdout).trimEnd().split("\n");
    const at = titles.indexOf("STATE");
    for (const row of rows) expect(row.slice(at - 1, at + 1)).toMatch(/^ \S$/);
  });

  it("colours by meaning, and not at all with NO_COLOR, --color never or a dumb terminal", async () => {
    const { stdout } = await onTerminal(box, ["thread", "list", "--all"]);
    expect(stdout).toContain("\u001b[31mfailing\u001b[39m");
    expect(stdout).toContain("\u001b[33mheld\u001b[39m");
    const cases = [
      { args: [], env: { NO_COLOR: "1" } },
      { args: ["--color", "never"], env: {} },
      { args: [], env: { TERM: "dumb" } },
    ];
    for (const { args, env } of cases) {
      const without = await onTerminal(box, ["thread", "list", "--all", ...args], { columns: 80, env });
      expect(without.stdout).not.toMatch(CONTROLS);
      expect(without.stdout.split("\n")).toHaveLength(8);
    }
  });

  it("lets no text of others reach the terminal as more than text", async () => {
    for (const args of [
      ["list"],
      ["show", threads.failing],
      ["steps", threads.failing],
      ["next", threads.failing],
    ]) {
      const ran = await onTerminal(box, ["thread", ...args, "--color", "never"]);
      expect(ran.stdout).toContain(args[0] === "next" ? "maker" : "evil");
      expect(ran.stdout).not.toMatch(CONTROLS);
    }
  });

  it("with --held says what each thread waits for", async () => {
    const { stdout } = await onTerminal(box, ["thread", "list", "--held"]);
    expect(plain(stdout).split("\n")[0]).toMatch(/^ID +WORKFLOW +ROLE +PART OF +WAITS FOR +SINCE +QUESTION$/);
    expect(rowOf(stdout, "paused")).toMatch(/ paused .* for the release$/);
    expect(rowOf(stdout, "asked")).toMatch(/ gate +checker +an answer .* Check it/);
    expect(rowOf(stdout, "active")).toBe("");
  });

  it("with --tree has the same short ids", async () => {
    const { stdout } = await onTerminal(box, ["thread", "list", "--tree", "--all"]);
    expect(rowOf(stdout, "paused")).toBe(`${end("paused")}  turns: paused: for the release`);
    expect(rowOf(stdout, "killed")).toBe(`${end("killed")}  turns: killed`);
  });

  it("shows a damaged thread as such, between the others", async () => {
    const other = sandbox();
    const thread = await startTurns(other, "Fine");
    const gone = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB";
    const { thread: named } = await other.prepare(["thread", "start", "turns", "-p", "Named"]);
    other.write(`${other.root}/threads.yaml`, `${gone}: "0123456789ABC"\n${other.read("threads.yaml")}`);
    other.write(`${other.root}/runs/${named}/hold.json`, "{}");
    const { stdout, code } = await onTerminal(other, ["thread", "list"]);
    expect(code).toBe(0);
    expect(plain(stdout)).toMatch(/^W8YB +\? +damaged .*0123456789ABC/m);
    // What can be read of it is shown.
    expect(plain(stdout)).toMatch(new RegExp(`^${named.slice(-4)} +turns +damaged `, "m"));
    expect(plain(stdout)).toMatch(new RegExp(`^${thread.slice(-4)} +turns +active +maker +0 .* Fine$`, "m"));
  });

  it("says so where there is nothing to list, and how to change that", async () => {
    const empty = sandbox();
    expect((await onTerminal(empty, ["thread", "list"])).stdout).toMatch(
      /^no active threads; `uwf thread start /,
    );
    expect((await onTerminal(empty, ["thread", "list", "--since", "1h"])).stdout).toBe("no such threads\n");
    expect((await onTerminal(empty, ["thread", "list", "--held"])).stdout).toContain("no thread waits");
    expect((await onTerminal(empty, ["thread", "list", "--tree"])).stdout).toContain("no threads");
    await startTurns(empty);
    await empty.json(["thread", "kill", "latest"]);
    expect((await onTerminal(empty, ["thread", "list", "--tree"])).stdout).toBe(
      "the only thread has ended; `uwf thread list --tree --all` shows it\n",
    );
    await empty.json(["thread", "kill", await startTurns(empty)]);
    expect((await onTerminal(empty, ["thread", "list", "--tree"])).stdout).toBe(
      "all 2 threads have ended; `uwf thread list --tree --all` shows them\n",
    );
  });
});

describe("thread list for programs", () => {
  it("is the same document in a pipe as with --format json on a terminal", async () => {
    for (const args of [["list"], ["list", "--all"], ["list", "--held"]]) {
      const piped = await box.uwf(["thread", ...args]);
      expect(JSON.parse(piped.stdout).length).toBeGreaterThan(0);
      if (HAS_TERMINALS) {
        const shown = await onTerminal(box, ["thread", ...args, "--format", "json"]);
        expect(shown.stdout).toBe(piped.stdout);
      }
    }
  });

  it("is the table with --format text, as wide as 80 columns and without colour", async () => {
    const { stdout } = await box.uwf(["thread", "list", "--format", "text"]);
    expect(stdout).not.toMatch(CONTROLS);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => widthOf(line) <= 80)).toBe(true);
    const coloured = await box.uwf(["thread", "list", "--format", "text", "--color", "always"]);
    expect(coloured.stdout).toContain("\u001b[31mfailing");
  });
});

describe.skipIf(!HAS_TERMINALS)("a run that gives no sign of life", () => {
  it("is marked in the list, and dated in its document", async () => {
    const other = sandbox();
    const thread = await startTurns(other);
    const { go, uwf } = await startWorking(other, thread);
    const over = ended(uwf);
    const listed = () => onTerminal(other, ["thread", "list"], { columns: 100, env: {} });
    expect(plain((await listed()).stdout)).toMatch(/ running +maker /);
    const folder = join(other.root, "runs", thread);
    const long = new Date(Date.now() - 20 * 60_000);
    for (const run of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
      const heartbeat = join(folder, run.name, "heartbeat");
      writeFileSync(heartbeat, "");
      utimesSync(heartbeat, long, long);
    }
    expect(plain((await listed()).stdout)).toMatch(/ running, silent 20 min +maker /);
    const [item] = await other.json<readonly { silentSince: string }[]>(["thread", "list"]);
    expect(item?.silentSince).toBe(long.toISOString());
    go();
    await over;
  });
});
