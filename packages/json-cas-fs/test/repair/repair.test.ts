import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  fsStoreFile,
  packStore,
  reindexStore,
  repairStore,
  type StoreProblem,
  sweepTemporaryFiles,
  verifyStore,
} from "../../src/index.js";
import { collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

const NOW = Date.now();
const MINUTE = 60_000;
const NO_PACKS = { packIndexes: 0, packsRewritten: 0 };

async function repair(dir: string, hold: <T>(work: () => Promise<T>) => Promise<T> = (work) => work()) {
  const problems: StoreProblem[] = [];
  const tell = (problem: StoreProblem): unknown => problems.push(problem);
  return { ...(await repairStore(dir, { now: NOW, hold, tell })), problems };
}

async function friends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, person("Ada"));
  return { dir, store, type, ada, bob: await store.put(type, person("Bob", ada)) };
}

/** A temporary file by a process, last touched so long before now. */
function leftover(folder: string, name: string, pid: number, ageMs: number): string {
  const file = join(folder, `${name}.${pid.toString(36)}-1-0123456789a.tmp`);
  writeFileSync(file, "x");
  const time = (NOW - ageMs) / 1000;
  utimesSync(file, time, time);
  return file;
}

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("sweepTemporaryFiles", () => {
  it("removes files of dead writers, and files older than any write", () => {
    const dir = temporaryDir();
    const swept = [leftover(dir, "a", deadPid(), MINUTE), leftover(dir, "b", process.pid, 120 * MINUTE)];
    expect(sweepTemporaryFiles(dir, NOW)).toBe(2);
    expect(swept.some(existsSync)).toBe(false);
  });

  it("leaves files that may be in use, foreign files, and folders", () => {
    const dir = temporaryDir();
    const kept = [
      leftover(dir, "young", deadPid(), 1000),
      leftover(dir, "alive", process.ppid, 1000),
      join(dir, "a.1-1-0123456789a.tmp"),
      join(dir, "notes.tmp"),
    ];
    mkdirSync(kept[2] ?? "");
    writeFileSync(kept[3] ?? "", "mine");
    utimesSync(kept[2] ?? "", 1, 1);
    utimesSync(kept[3] ?? "", 1, 1);
    expect(sweepTemporaryFiles(dir, NOW)).toBe(0);
    expect(kept.every(existsSync)).toBe(true);
    expect(sweepTemporaryFiles(join(dir, "absent"), NOW)).toBe(0);
  });
});

describe("repairStore", () => {
  it("changes nothing in a sound store", async () => {
    const { dir } = await friends();
    expect(await repair(dir)).toEqual({
      figures: verifyStore(dir, () => {}),
      repaired: { restored: 0, temporaryFiles: 0, indexLinesAdded: 0, indexLinesRemoved: 0, ...NO_PACKS },
      problems: [],
    });
  });

  it("removes leftover files, restores nodes that a gc set aside, and rebuilds the index", async () => {
    const { dir, store, type, ada, bob } = await friends();
    leftover(dir, `${ada}.bin`, deadPid(), MINUTE);
    leftover(join(dir, "_index"), type, deadPid(), MINUTE);
    renameSync(fsStoreFile(dir, ada), join(dir, `${ada}.aside`));
    writeFileSync(join(dir, "_index", type), `${ada}\ntorn\n`);
    const { figures, repaired, problems } = await repair(dir);
    expect(repaired).toEqual({
      restored: 1,
      temporaryFiles: 2,
      indexLinesAdded: 1,
      indexLinesRemoved: 1,
      ...NO_PACKS,
    });
    expect(figures).toMatchObject({
      damaged: 0,
      notIndexedOnly: 0,
      staleIndexLines: 0,
      temporaryFiles: 0,
      setAside: 0,
    });
    expect(problems).toEqual([]);
    expect(verifyStore(dir, () => {})).toEqual(figures);
    expect(store.listByType(type)).toEqual([ada, bob].sort());
  });

  it("builds an index that is gone", async () => {
    const { dir, type, ada, bob, store } = await friends();
    rmSync(join(dir, "_index"), { recursive: true });
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 4, notIndexedOnly: 4 });
    expect(await repair(dir)).toMatchObject({ figures: { damaged: 0 }, repaired: { indexLinesAdded: 4 } });
    expect(store.listByType(type)).toEqual([ada, bob].sort());
  });

  it("replaces a linked index file, and leaves what it leads to alone", async () => {
    const { dir, type, ada, bob, store } = await friends();
    const [index, mine] = [join(dir, "_index", type), join(temporaryDir(), "mine")];
    writeFileSync(mine, `${ada}\nmine\n`);
    rmSync(index);
    symlinkSync(mine, index);
    expect(await repair(dir)).toMatchObject({ figures: { damaged: 0 }, repaired: { indexLinesAdded: 2 } });
    expect(readFileSync(mine, "utf8")).toBe(`${ada}\nmine\n`);
    expect(lstatSync(index).isFile()).toBe(true);
    expect(store.listByType(type)).toEqual([ada, bob].sort());
  });

  it("neither sweeps nor writes in a linked index folder", async () => {
    const { dir, type, ada } = await friends();
    const [folder, outside] = [join(dir, "_index"), join(temporaryDir(), "outside")];
    renameSync(folder, outside);
    symlinkSync(outside, folder);
    const mine = leftover(outside, type, deadPid(), MINUTE);
    writeFileSync(join(outside, type), `${ada}\n`);
    await expect(repair(dir)).rejects.toThrow("it is a symbolic link");
    expect(existsSync(mine)).toBe(true);
    expect(readFileSync(join(outside, type), "utf8")).toBe(`${ada}\n`);
  });

  it("neither writes, removes nor sweeps in a linked folder of packs, and a gc does neither", async () => {
    const { dir, ada, bob } = await friends();
    await packStore(dir, { roots: [], isWanted: () => true, now: Date.now });
    const outside = join(temporaryDir(), "outside");
    renameSync(join(dir, "pack"), outside);
    symlinkSync(outside, join(dir, "pack"));
    const [pack = ""] = readdirSync(outside).filter((name) => name.endsWith(".pack"));
    // What a repair would do: make an index again, remove one without a pack, write a damaged pack again, sweep.
    rmSync(join(outside, pack.replace(".pack", ".idx")));
    writeFileSync(join(outside, "0000000000000.idx"), "mine");
    leftover(outside, "0000000000000.pack", deadPid(), MINUTE);
    const before = readdirSync(outside).map((name) => [
      name,
      readFileSync(join(outside, name)).toString("hex"),
    ]);
    await expect(repair(dir)).rejects.toThrow("it is a symbolic link");
    await expect(reindexStore(dir)).rejects.toThrow("it is a symbolic link");
    await expect(collect(dir, [ada, bob], { cutoff: Date.now() + MINUTE })).rejects.toThrow(
      "it is a symbolic link",
    );
    const after = readdirSync(outside).map((name) => [
      name,
      readFileSync(join(outside, name)).toString("hex"),
    ]);
    expect(after).toEqual(before);
  });

  it("puts an index in the place of a named pipe", async () => {
    const { dir, type, ada, bob, store } = await friends();
    const index = join(dir, "_index", type);
    rmSync(index);
    execFileSync("mkfifo", [index]);
    expect(await repair(dir)).toMatchObject({ figures: { damaged: 0 }, repaired: { indexLinesAdded: 2 } });
    expect(store.listByType(type)).toEqual([ada, bob].sort());
  });

  it("names a damaged node and does not touch its file", async () => {
    const { dir, ada } = await friends();
    const file = fsStoreFile(dir, ada);
    truncateSync(file, 10);
    const before = readFileSync(file);
    const { figures, problems } = await repair(dir);
    expect(figures.damaged).toBe(1);
    expect(problems).toMatchObject([{ kind: "damaged", hash: ada, file }]);
    expect(readFileSync(file)).toEqual(before);
  });

  it("replaces a damaged node by the one that was set aside", async () => {
    const { dir, ada, store } = await friends();
    const [file, aside] = [fsStoreFile(dir, ada), join(dir, `${ada}.aside`)];
    for (const harm of [() => writeFileSync(file, "x"), () => mkdirSync(file)]) {
      renameSync(file, aside);
      harm();
      expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 1, setAside: 1 });
      expect(await repair(dir)).toMatchObject({
        figures: { damaged: 0, setAside: 0 },
        repaired: { restored: 1 },
      });
      expect(existsSync(aside)).toBe(false);
      expect(store.get(ada)?.payload).toEqual(person("Ada"));
    }
  });

  it("reports damaged nodes that were set aside, and does not promise to restore them", async () => {
    const { dir, ada } = await friends();
    const [file, aside] = [fsStoreFile(dir, ada), join(dir, `${ada}.aside`)];
    writeFileSync(aside, "x");
    truncateSync(file, 10);
    for (const _ of [1, 2]) {
      const { figures, repaired, problems } = await repair(dir);
      expect(figures).toMatchObject({ damaged: 1, setAside: 0 });
      expect(repaired.restored).toBe(0);
      expect(problems.map((problem) => problem.file).sort()).toEqual([aside, file]);
    }
  });

  it("puts nodes back only while it holds what a gc holds, and holds it only then", async () => {
    const { dir, ada } = await friends();
    let held = 0;
    const hold = <T>(work: () => Promise<T>): Promise<T> => {
      held += 1;
      // The gc that set it aside was alive, and had held it until now.
      rmSync(join(dir, `${ada}.aside`));
      return work();
    };
    await repair(dir, hold);
    expect(held).toBe(0);
    renameSync(fsStoreFile(dir, ada), join(dir, `${ada}.aside`));
    expect((await repair(dir, hold)).repaired.restored).toBe(0);
    expect(held).toBe(1);
  });
});
