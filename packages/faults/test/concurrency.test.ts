import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listThreads, openStorage } from "@uncaged/workflow-store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAll, perform, showOf } from "../src/concurrency/acts.js";
import { brokenSightings, openBook, see, survivors } from "../src/concurrency/book.js";
import { concurrency } from "../src/concurrency/concurrency.js";
import { randomOf, runKind } from "../src/frame.js";
import { type Breach, brokenSteps } from "../src/invariants.js";
import { copyWorld, openWorld, putTurns, startThread, type World } from "../src/world.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-concurrency-"));
const alive = { runtime: "node", killAfter: null } as const;
let world: World;
let thread: string;
let copies = 0;

beforeAll(async () => {
  world = openWorld(join(folder, "world"), "node");
  await putTurns(world);
  thread = await startThread(world);
  await world.json(["thread", "run", thread, ...world.agent]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copy(): World {
  copies += 1;
  return copyWorld(world, join(folder, `copy-${copies}`), "node");
}

function promises(breaches: readonly Breach[]): readonly string[] {
  return breaches.map(({ promise }) => promise);
}

describe("many processes on one storage root", { timeout: 120_000 }, () => {
  it("keep every promise, some of them killed", async () => {
    const report = await runKind(concurrency, 1, { level: "sample" });
    expect(report.violations).toEqual([]);
    expect(report.figures.rounds).toBe(2);
    expect(report.figures.operations).toBeGreaterThan(100);
    expect(report.figures["steps tried"]).toBeGreaterThan(20);
    expect(report.figures["killed with SIGKILL"]).toBeGreaterThan(2);
    expect(report.figures["threads checked"]).toBeGreaterThan(2);
  });
});

describe("an answer", () => {
  it("that omits a thread is found", async () => {
    const book = openBook();
    book.threads.add(thread);
    const short: World = { ...world, start: (args) => world.start(args.filter((arg) => arg !== "--all")) };
    const { args } = listAll(world, book, randomOf(1));
    expect(promises((await perform(world, listAll(world, book, randomOf(1)), alive)).breaches)).toEqual([]);
    expect(args).toContain("--all");
    const { breaches } = await perform(short, listAll(world, book, randomOf(1)), alive);
    expect(promises(breaches)).toEqual(["no thread is lost"]);
  });

  it("with an exit code that its command does not have is found", async () => {
    const book = openBook();
    const missing = showOf(book, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
    expect(promises((await perform(world, missing, alive)).breaches)).toEqual([
      "what exists is never not found",
    ]);
    const wrong = { ...missing, args: ["thread", "shows"] };
    expect(promises((await perform(world, wrong, alive)).breaches)).toEqual([
      "a command ends as its table says",
    ]);
  });

  it("that revives a thread is found", () => {
    const book = openBook();
    see(book, "show", { thread, head: "A", done: true }, { began: 0, ended: 1 });
    expect(promises(see(book, "list", { thread, head: "A", done: false }, { began: 2, ended: 3 }))).toEqual([
      "what has ended stays ended",
    ]);
    expect(see(book, "list", { thread, head: "A", done: false }, { began: 0.5, ended: 3 })).toEqual([]);
  });

  it("that goes back to an earlier head is found", async () => {
    const storage = openStorage(world.root, { now: Date.now });
    const states = await listThreads(storage, { all: true });
    const { steps } = await world.json(["thread", "steps", thread]);
    const [start, , second] = steps.map(({ hash }) => hash);
    const at = (head: string | undefined, began: number) => ({
      thread,
      head: head ?? "",
      by: "show",
      began,
      ended: began + 1,
    });
    const broken = (sightings: readonly ReturnType<typeof at>[]) =>
      promises(brokenSightings(storage, states.ok ? states.value : [], sightings));
    expect(broken([at(start, 0), at(second, 2)])).toEqual([]);
    expect(broken([at(second, 0), at(start, 2)])).toEqual(["a head never goes back"]);
    expect(broken([at(second, 0), at(start, 0.5)])).toEqual([]);
    expect(broken([at("0000000000000", 0)])).toEqual(["a head never goes back"]);
  });
});

describe("the count of runs", () => {
  it("holds after a whole thread", async () => {
    expect(await brokenSteps(world, new Map([[thread, null]]))).toEqual([]);
  });

  it.each([
    ["a step is run once", doubleStep],
    ["agent runs = steps + failed runs", (each: World) => appendFileSync(each.ledger, stray())],
    ["every step comes from a run of its thread", forgetLastStep],
    ["a step that was logged is recorded", tellAnotherStep],
  ] as const)("tells when it is not true that %s", async (promise, plant) => {
    const other = copy();
    plant(other);
    expect(promises(await brokenSteps(other, new Map([[thread, null]])))).toContain(promise);
  });

  it("finds a fork that does not continue from where it was forked", async () => {
    const { steps } = await world.json(["thread", "steps", thread]);
    const origin = steps[1]?.hash ?? "";
    expect(promises(await brokenSteps(world, new Map([[thread, origin]])))).toEqual([
      "a fork continues from where it was forked",
    ]);
  });
});

describe("a process that stays", () => {
  it("is found and ended", async () => {
    const child = world.start(["-c", "echo here; kill -STOP $$"], { program: "/bin/sh" });
    const gone = new Promise((resolve) => child.on("close", resolve));
    // While a process becomes another program its environment cannot be read.
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    expect(promises(await survivors(world, 200))).toEqual(["no process outlives its thread"]);
    await gone;
    expect(await survivors(world, 200)).toEqual([]);
  });
});

/** The step's run and the line of its end once more, under another token: as if it had been paid for twice. */
function doubleStep(other: World): void {
  const [first = ""] = readFileSync(other.ledger, "utf8").split("\n");
  const token = first.split(" ")[3] ?? "";
  appendFileSync(other.ledger, `${first.replace(token, "second")}\n`);
  const line = logLines(other).find((each) => each.includes(token) && each.includes('"outcome"')) ?? "";
  appendFileSync(logFile(other), `${line.replace(token, "second")}\n`);
}

function stray(): string {
  return `${thread} maker 0000000000000 stranger\n`;
}

function forgetLastStep(other: World): void {
  const lines = logLines(other);
  const last = lines.findLast(isStep);
  writeFileSync(logFile(other), `${lines.filter((line) => line !== last).join("\n")}\n`);
}

function tellAnotherStep(other: World): void {
  const line = JSON.parse(logLines(other).find(isStep) ?? "{}");
  appendFileSync(logFile(other), `${JSON.stringify({ ...line, run: "other", step: "0000000000000" })}\n`);
}

function isStep(line: string): boolean {
  return line.includes('"outcome":"step"');
}

function logFile({ root }: World): string {
  const [day = ""] = readdirSync(join(root, "logs"));
  return join(root, "logs", day);
}

function logLines(other: World): readonly string[] {
  return readFileSync(logFile(other), "utf8").trim().split("\n");
}
