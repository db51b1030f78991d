import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type Hash, putSchema, type Store } from "@uncaged/json-cas";
import { openStorage, putNode } from "@uncaged/workflow-store";
import { beforeAll, describe, expect, it } from "vitest";
import type { Host } from "../../src/io.js";
import { readsOf } from "../../src/ui/reads.js";
import { putLoop, threadOf, writeStore } from "../support/long.js";
import { COLOURS, HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

// Four threads whose conditions cost 9.5 million steps of evaluation each, of the 20 million that one command spends on
// all of them, and after them one that costs nothing.

const BEGIN = Date.parse("2026-01-31T08:00:00Z");

/** Nearly all that one evaluation may make. */
const COSTLY = `${Array.from({ length: 5 }, () => "$count([1..190000])").join(" + ")} = 0`;

const NOT_DECIDED =
  "the next role of 2 threads was not decided: the conditions took what one command spends on all of them; `uwf thread next <thread>` decides for one";

async function putCostly(store: Store): Promise<Hash> {
  const meta = await putSchema(store, { type: "object" });
  const texts = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };
  const names = ["a", "b", "c", "d", "e"];
  const conditions = Object.fromEntries(
    names.map((name) => [name, { description: name, expression: COSTLY }]),
  );
  const entries = [...names, null].map((condition) => ({ role: "worker", condition }));
  const graph = { $START: entries, worker: [{ role: "$END", condition: null }] };
  return putNode(store, "workflow", {
    ...{ name: "costly", description: "d", conditions, graph },
    roles: { worker: { ...texts, meta } },
  });
}

let box: Sandbox;
let threads: readonly string[];

beforeAll(async () => {
  box = sandbox();
  const store = createMemoryStore();
  const costly = await putCostly(store);
  const loop = await putLoop(store, "loop", "again and again");
  threads = [costly, costly, costly, costly, loop].map((_, at) => threadOf(BEGIN + at, at + 1));
  const lines: string[] = [];
  for (const [at, thread] of threads.entries()) {
    const start = await putNode(store, "startNode", {
      workflow: at < 4 ? costly : loop,
      prompt: `task ${at + 1}`,
    });
    lines.push(`${thread}: "${start}"\n`);
  }
  mkdirSync(box.root, { recursive: true });
  writeFileSync(join(box.root, "threads.yaml"), lines.join(""));
  writeStore(box.root, store);
});

describe("threads whose conditions take all that one command spends on decisions", () => {
  it.skipIf(!HAS_TERMINALS)("are listed as not decided on a terminal, and others as they are", async () => {
    const { code, stdout } = await onTerminal(box, ["thread", "list"]);
    expect(code).toBe(0);
    const text = stdout.replace(COLOURS, "");
    const next = text.matchAll(/ active +(worker|not decided) +0 .* task (\d)$/gm);
    expect([...next].map(([, role, task]) => `${task} ${role}`)).toEqual([
      ...["1 worker", "2 worker", "3 not decided", "4 not decided", "5 worker"],
    ]);
    expect(text).toContain(`warning: ${NOT_DECIDED}`);
  });

  it.each([
    ["thread list --tree", ["thread", "list", "--tree"]],
    ["report", ["report", "--output", "pages"]],
  ])("are named by a warning of %s", async (_what, args) => {
    const { code, stderr } = await box.uwf(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `warning: ${NOT_DECIDED}\n` });
  });

  it("are a warning of doctor", async () => {
    const { stdout } = await box.uwf(["doctor"]);
    expect(stdout).toContain(JSON.stringify(NOT_DECIDED));
  });

  it("are named on the first page of ui", async () => {
    const storage = openStorage(box.root, { now: Date.now });
    const reads = readsOf({ context: { warn: () => {}, host: { now: Date.now } as Host }, storage });
    const overview = await reads.overview(10);
    expect(overview).toMatchObject({ ok: true, value: { undecided: NOT_DECIDED } });
  });

  it("are decided one at a time", async () => {
    const next = await box.json<{ readonly next: unknown }>(["thread", "next", threads[3] ?? ""]);
    expect(JSON.stringify(next)).toContain('"worker"');
  });
});
