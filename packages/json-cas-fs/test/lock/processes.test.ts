import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { classifyHolder, readLock, releaseLock, tryLock } from "../../src/index.js";
import { builtIndex } from "../support/built.js";
import { type RunningChild, startModule } from "../support/child.js";
import { temporaryDir } from "../support/temp.js";

const CONTENDERS = 8;
const ROUNDS = 30;

/** Takes the lock whose path it reads on stdin, says how it went, and keeps what it got. */
const CONTENDER = `
import { createInterface } from "node:readline";
const { tryLock } = await import(process.argv[2]);
console.log("ready");
for await (const path of createInterface({ input: process.stdin })) console.log(tryLock(path).kind);
`;

/** Takes the locks named on its command line and lives on. */
const HOLDER = `
const [, , index, ...paths] = process.argv;
const { tryLock } = await import(index);
console.log(paths.map((path) => tryLock(path).kind).join());
setInterval(() => {}, 1000);
`;

/** Takes and releases the lock for ever; every holder leaves its pid in a folder while it holds, and looks for others. */
const CYCLER = `
import { appendFileSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
const [, , index, path, inside, log] = process.argv;
const { livingStartTime, releaseLock, tryLock } = await import(index);
console.log("ready");
await new Promise((resolve) => process.stdin.once("data", resolve));
for (;;) {
  const lock = tryLock(path);
  if (lock.kind === "busy") continue;
  writeFileSync(inside + "/" + process.pid, "");
  const others = readdirSync(inside).filter((pid) => Number(pid) !== process.pid);
  const living = others.filter((pid) => livingStartTime(Number(pid)) !== null);
  appendFileSync(log, living.length === 0 ? "alone\\n" : "with " + living + "\\n");
  unlinkSync(inside + "/" + process.pid);
  releaseLock(lock);
}
`;

async function killedHolder(dir: string, index: string, paths: readonly string[]): Promise<RunningChild> {
  const holder = startModule(dir, "holder", HOLDER, [index, ...paths]);
  expect(await holder.nextLine()).toBe(paths.map(() => "lock").join());
  holder.child.kill("SIGKILL");
  await holder.exited;
  return holder;
}

describe("locks between processes", { timeout: 300_000 }, () => {
  it("takes over at once from a holder that was killed", async () => {
    const dir = temporaryDir();
    const path = join(dir, "locks", "a.lock");
    const holder = startModule(dir, "holder", HOLDER, [builtIndex(), path]);
    expect(await holder.nextLine()).toBe("lock");
    expect(tryLock(path)).toMatchObject({ kind: "busy", holder: { pid: holder.pid }, judgement: "alive" });
    holder.child.kill("SIGKILL");
    await holder.exited;
    expect(tryLock(path).kind).toBe("lock");
    expect(readdirSync(join(dir, "locks"))).toEqual(["a.lock"]);
  });

  it(`has exactly one winner when ${CONTENDERS} processes see one dead record, ${ROUNDS} rounds`, async () => {
    const dir = temporaryDir();
    const index = builtIndex();
    const start = () => startModule(dir, "contender", CONTENDER, [index]);
    const contenders = Array.from({ length: CONTENDERS }, start);
    for (const contender of contenders) expect(await contender.nextLine()).toBe("ready");
    const paths = Array.from({ length: ROUNDS }, (_, round) => join(dir, `round-${round}`, "a.lock"));
    const dead = await killedHolder(dir, index, paths);
    for (const path of paths) {
      for (const contender of contenders) contender.write(path);
      const outcomes = await Promise.all(contenders.map((contender) => contender.nextLine()));
      expect(outcomes.filter((outcome) => outcome === "lock")).toHaveLength(1);
      const winner = contenders[outcomes.indexOf("lock")];
      const record = readLock(path);
      expect(record?.pid).toBe(winner?.pid);
      expect(record?.pid).not.toBe(dead.pid);
      expect(record !== null && classifyHolder(record)).toBe("alive");
      expect(readdirSync(dirname(path))).toEqual(["a.lock"]);
    }
  });

  it("never has two holders while holders and breakers are killed at random", async () => {
    const dir = temporaryDir();
    const index = builtIndex();
    const path = join(dir, "locks", "a.lock");
    const [inside, log] = [join(dir, "inside"), join(dir, "log")];
    mkdirSync(inside);
    const entriesNow = () =>
      existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : ([] as string[]);
    for (let round = 1; round <= 5; round += 1) {
      const start = () => startModule(dir, "cycler", CYCLER, [index, path, inside, log]);
      const children = Array.from({ length: 6 }, start);
      for (const child of children) expect(await child.nextLine()).toBe("ready");
      for (const child of children) child.write("go");
      for (const child of children) {
        // However slow the machine: somebody has held the lock since the last kill.
        const before = entriesNow().length;
        for (let looks = 0; looks < 10_000 && entriesNow().length === before; looks += 1)
          await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => setTimeout(resolve, 7));
        child.child.kill("SIGKILL");
      }
      await Promise.all(children.map((child) => child.exited));
      const lock = tryLock(path);
      expect(lock.kind).toBe("lock");
      if (lock.kind === "lock") releaseLock(lock);
    }
    const entries = entriesNow();
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.filter((entry) => entry !== "alone")).toEqual([]);
    await killedHolder(dir, index, [path]);
    expect(tryLock(path).kind).toBe("lock");
    expect(readdirSync(join(dir, "locks")).filter((name) => !name.endsWith(".tmp"))).toEqual(["a.lock"]);
  });
});
