import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { survive } from "../src/aftermath.js";
import { injected, quiet } from "../src/inject.js";
import { type Stage, tellBeginning } from "../src/story.js";
import { copyWorld, RUNTIMES, type World } from "../src/world.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-aftermath-"));
let stage: Stage;
let world: World;
let copies = 0;

// A world whose uwf died after it had started its agent, and whose agent then printed its result.
beforeAll(async () => {
  const stages = await tellBeginning(join(folder, "story"), null);
  const second = stages.find(({ name }) => name === "thread step 2");
  if (second === undefined) throw new Error("the beginning has no second step");
  stage = second;
  const n = stage.calls.find(({ name }) => name === "spawn")?.n ?? 0;
  world = copyWorld(stage.before, join(folder, "world"), "node");
  const env = injected({ role: "uwf", n, act: "kill-after" }, { log: null, plant: null });
  await world.uwf(stage.line(world), { env });
  await quiet(world);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is said when `meddle` happens between the death and what follows it. */
async function promisesBroken(meddle: (world: World) => void, told = ""): Promise<readonly string[]> {
  copies += 1;
  const copy = copyWorld(world, join(folder, `copy-${copies}`), RUNTIMES[0]);
  const promises: string[] = [];
  const line = (there: World): readonly string[] => {
    meddle(there);
    return ["thread", "list"];
  };
  const meddled = { ...stage, again: [{ line, codes: [0] }] };
  await survive(copy, { stage: meddled, printed: [], told, thorough: false }, (promise) =>
    promises.push(promise),
  );
  return promises;
}

function inRun({ root }: World, name: string): string {
  const thread = join(root, "runs", stage.threads[0] ?? "");
  // Beside the runs stands the thread's folder.
  const [token = ""] = readdirSync(thread).filter((each) => !each.includes("."));
  return join(thread, token, name);
}

describe("the check after a crash", { timeout: 180_000 }, () => {
  it("passes for an intact store", async () => {
    expect(await promisesBroken(() => {})).toEqual([]);
  });

  it("finds a step that is run again though its result was printed", async () => {
    const broken = await promisesBroken((there) => writeFileSync(inRun(there, "stdout"), ""));
    expect(broken).toContain("what was printed is not run again");
  });

  it("finds a run that is not in the log", async () => {
    const broken = await promisesBroken((there) =>
      rmSync(join(inRun(there, "stdout"), ".."), { recursive: true }),
    );
    expect(broken).toContain("every run leaves a trace in the log");
  });

  it("finds a lost thread", async () => {
    const broken = await promisesBroken(({ root }) => writeFileSync(join(root, "threads.yaml"), "{}\n"));
    expect(broken).toContain("no thread is lost");
  });

  it("finds a missing thread whose id was printed", async () => {
    const told = JSON.stringify({ thread: "01ARZ3NDEKTSV4RRFF00000001", head: null });
    expect(await promisesBroken(() => {}, told)).toContain("what was printed is kept");
  });
});
