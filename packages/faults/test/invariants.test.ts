import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWorld } from "../src/invariants.js";
import { copyWorld, openWorld, putTurns, STEPS, startThread, type World } from "../src/world.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-invariants-"));
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

async function promisesBrokenAfter(damage: (world: World) => void): Promise<readonly string[]> {
  copies += 1;
  const copy = copyWorld(world, join(folder, `copy-${copies}`), "node");
  damage(copy);
  return (await checkWorld(copy, { threads: [thread] })).map(({ promise }) => promise);
}

describe("the invariants of a storage root", () => {
  it("hold after a whole thread", async () => {
    expect(readFileSync(world.ledger, "utf8").trim().split("\n")).toHaveLength(STEPS);
    expect(await checkWorld(world, { threads: [thread] })).toEqual([]);
  });

  it.each([
    ["no thread is lost", ({ root }: World) => rmSync(join(root, "history.jsonl"))],
    [
      "no thread ends twice",
      ({ root, read }: World) => appendFileSync(join(root, "history.jsonl"), read("history.jsonl")),
    ],
    [
      "every run leaves a trace in the log",
      ({ root }: World) => rmSync(join(root, "logs"), { recursive: true }),
    ],
    ["a step is run once", runTwice],
    ["every node is whole", ({ root }: World) => writeFileSync(nodeFile(root), "not a node")],
    ["every chain is intact", ({ root, read }: World) => rmSync(join(root, "cas", `${headOf(read)}.bin`))],
    [
      "an agent runs for a head of its thread",
      ({ ledger }: World) => appendFileSync(ledger, `${thread} maker 0000000000000 stranger\n`),
    ],
  ] as const)("tell when it is not true that %s", async (promise, damage) => {
    expect(await promisesBrokenAfter(damage)).toContain(promise);
  });
});

/** The first run, and the line of its end, once more, under another token. */
function runTwice({ root, ledger }: World): void {
  const [first] = readFileSync(ledger, "utf8").split("\n");
  const token = first?.split(" ")[3] ?? "";
  appendFileSync(ledger, `${first?.replace(token, "second")}\n`);
  const [day] = readdirSync(join(root, "logs"));
  const log = join(root, "logs", day ?? "");
  const line = readFileSync(log, "utf8")
    .split("\n")
    .find((each) => each.includes(token) && each.includes('"outcome"'));
  appendFileSync(log, `${line?.replace(token, "second")}\n`);
}

function nodeFile(root: string): string {
  const name = readdirSync(join(root, "cas")).find((each) => each.endsWith(".bin"));
  return join(root, "cas", name ?? "");
}

function headOf(read: World["read"]): string {
  return JSON.parse(read("history.jsonl")).head;
}
