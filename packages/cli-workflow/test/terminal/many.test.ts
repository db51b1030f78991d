import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore } from "@uncaged/json-cas";
import { type ListedThread, openStorage, openThreadList, putNode } from "@uncaged/workflow-store";
import { beforeAll, describe, expect, it } from "vitest";
import { printTable } from "../../src/commands/thread/list-table.js";
import { putLoop, threadOf, writeStore } from "../support/long.js";
import { HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

const MANY = 10_000;
const BEGIN = Date.parse("2026-01-31T08:00:00Z");

let box: Sandbox;

beforeAll(async () => {
  box = sandbox();
  const store = createMemoryStore();
  const workflow = await putLoop(store, "loop", "again");
  const heads = await Promise.all(
    [0, 1, 2].map((index) => putNode(store, "startNode", { workflow, prompt: `task ${index}` })),
  );
  mkdirSync(box.root, { recursive: true });
  const lines = Array.from(
    { length: MANY },
    (_, index) => `${threadOf(BEGIN + index * 1000, index)}: "${heads[index % 3]}"\n`,
  );
  writeFileSync(join(box.root, "threads.yaml"), lines.join(""));
  writeStore(box.root, store);
});

/** The lines of a shell command in which $0 is uwf. */
const shell = (script: string) => box.uwf([], { through: ["sh", "-c", script] });

describe("a list of 10,000 threads", () => {
  it("has a row for each of them, each with an id that finds it", async () => {
    const { stdout } = await box.uwf(["thread", "list", "--format", "text"]);
    const rows = stdout.trimEnd().split("\n");
    expect(rows).toHaveLength(MANY + 1);
    const ids = rows.slice(1).map((row) => row.split(" ")[0] ?? "");
    expect(new Set(ids).size).toBe(MANY);
    for (const id of [ids[0], ids[5000], ids[MANY - 1]]) {
      const shown = await box.json(["thread", "show", id ?? ""]);
      expect(shown.thread.endsWith(id ?? "?")).toBe(true);
    }
  });

  it("is printed as it is read: the first rows before the forty-first thread is looked at", async () => {
    const storage = openStorage(box.root, { now: () => BEGIN });
    const list = await openThreadList(storage, { all: false });
    if (!list.ok) throw new Error(list.error.code);
    const { ids, state } = list.value;
    let looked = 0;
    function* states(): Generator<ListedThread> {
      for (const id of ids) {
        const found = state(id);
        looked += 1;
        if (found !== null) yield found;
      }
    }
    const writes: { readonly looked: number; readonly lines: number }[] = [];
    const stdout = {
      write: (text: string) => writes.push({ looked, lines: text.split("\n").length - 1 }),
      isClosed: () => writes.length === 3,
      isTerminal: () => true,
      columns: () => 80,
    };
    const screen = { width: 80, colour: false, now: BEGIN };
    const count = await printTable(
      storage,
      { stdout, screen, idOf: (id) => id, held: false, warn: () => {} },
      states(),
    );
    expect(writes).toEqual([
      { looked: 40, lines: 41 },
      { looked: 41, lines: 1 },
      { looked: 42, lines: 1 },
    ]);
    expect({ count, looked }).toEqual({ count: 42, looked: 43 });
  });

  it.each(["--format text", "--all --format text", "--tree --format text", "--format json"])(
    "ends well with a reader that goes away (%s)",
    async (options) => {
      const ran = await shell(`{ "$0" thread list ${options}; echo "exit $?" >&2; } | head -n 1`);
      expect(ran.stdout.split("\n")).toHaveLength(2);
      expect(ran.stderr).toBe("exit 0\n");
    },
  );

  it.skipIf(!HAS_TERMINALS)("is as wide as the terminal in every line", async () => {
    const { stdout } = await onTerminal(box, ["thread", "list", "--limit", "200", "--color", "never"], {
      columns: 40,
      env: {},
    });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(201);
    expect(new Set(lines.slice(1).map((line) => line.indexOf("active"))).size).toBe(1);
  });
});

describe("one thread", () => {
  it("is a table of one row", async () => {
    const { stdout } = await box.uwf(["thread", "list", "--limit", "1", "--format", "text"]);
    expect(stdout).toMatch(/^ID .*\n\S+ +loop +active +worker +0 +\d+ (d|y) ago +task \d\n$/);
  });
});
