import { cpSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, openExport, repairStore, verifyStore } from "../../src/index.js";
import { forgetPacks } from "../../src/store/index.js";
import { dyingAt, isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { leftovers, person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

/** One more than get files of their own. */
const MANY = 33;

/** A chain of so many people in one batch; gives their hashes. */
function putMany(dir: string, type: Hash, name: string, count = MANY): Promise<readonly Hash[]> {
  return createFsStore(dir).together(async (cas) => {
    const hashes: Hash[] = [];
    for (let n = 0; n < count; n += 1)
      hashes.push(await cas.put(type, person(`${name} ${n}`, hashes.at(-1) ?? null)));
    return hashes;
  });
}

function packsIn(dir: string): readonly string[] {
  return readdirSync(join(dir, "pack")).filter((name) => name.endsWith(".pack"));
}

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name.endsWith(".bin"));
}

const SOUND = { damaged: 0, damagedPacks: 0, temporaryFiles: 0 };

function verified(dir: string) {
  forgetPacks(dir);
  return verifyStore(dir, () => {});
}

describe("more than 32 nodes that are written together", () => {
  it("become one pack, of two files, each node after what it refers to", async () => {
    const { dir, store, type } = await storeWithType();
    const before = filesIn(dir);
    const hashes = await putMany(dir, type, "Ada");
    expect(filesIn(dir)).toEqual(before);
    expect(readdirSync(join(dir, "pack"))).toHaveLength(2);
    for (const hash of hashes) expect([store.has(hash), store.get(hash)?.type]).toEqual([true, type]);
    expect(store.listByType(type)).toEqual([...hashes].sort());
    expect(verified(dir)).toMatchObject({ ...SOUND, packs: 1, packed: MANY, staleIndexLines: 0 });
    expect(readFileSync(join(dir, "_format"), "utf8")).toMatch(/^2: /);
  });

  it("are a pack of which a copy is an export as far as it goes: types are elsewhere", async () => {
    const { dir, type } = await storeWithType();
    await putMany(dir, type, "Ada");
    const [pack = ""] = packsIn(dir);
    expect(() => openExport(join(dir, "pack", pack))).toThrow(/type/);
  });

  it("are durable, with their lines in the index, before the pack has its name", async () => {
    const { dir, type } = await storeWithType();
    const calls = await withFsCalls(() => putMany(dir, type, "Ada"));
    const ordered = calls
      .filter(({ name }) => ["fsyncSync", "renameSync", "linkSync"].includes(name))
      .map(({ name, path }) => `${name} ${path.replace(/[0-9A-Z]{13}\.(idx|pack)\.[^/]*$/, "new.$1.tmp")}`);
    const named = ordered.findIndex((call) => /^renameSync .*\.pack/.test(call));
    for (const earlier of [
      `fsyncSync ${join(dir, "_index", type)}`,
      /^fsyncSync .*\.pack\.[^/]*tmp$/,
      /^renameSync .*\.idx/,
    ]) {
      const at = ordered.findIndex((call) =>
        typeof earlier === "string" ? call === earlier : earlier.test(call),
      );
      expect([String(earlier), at !== -1 && at < named]).toEqual([String(earlier), true]);
    }
    expect(ordered.slice(named + 1)).toContain(`fsyncSync ${join(dir, "pack")}`);
  });

  it("leave a store that verifies and takes them again, wherever the process dies, merging included", async () => {
    const isChange = (call: Parameters<typeof isWriteSide>[0]): boolean =>
      isWriteSide(call) && call.name !== "closeSync" && call.name !== "openSync";
    const { dir: before, type } = await storeWithType();
    for (let n = 0; n < 32; n += 1) await putMany(before, type, `Guest ${n}`);
    const kept = createFsStore(before).list();
    const copyOf = (n: number): string => {
      const dir = join(temporaryDir(), `cas-${n}`);
      cpSync(before, dir, { recursive: true, preserveTimestamps: true });
      return dir;
    };
    const act = (dir: string) => putMany(dir, type, "Ada");
    const first = copyOf(0);
    const whole = await dyingAt(Number.POSITIVE_INFINITY, isChange, () => act(first));
    expect([whole.died, packsIn(first).length]).toEqual([false, 1]);
    for (const [index, { path }] of whole.changes.entries()) {
      // Every place of the writing, and some of the merging and of the removal of 33 packs.
      if (index > 20 && index % 12 !== 0) continue;
      const dir = copyOf(index + 1);
      expect((await dyingAt(index + 1, isChange, () => act(dir))).died, path).toBe(true);
      rmSync(join(dir, "_pack.lock"), { force: true });
      forgetPacks(dir);
      const store = createFsStore(dir);
      for (const hash of kept) expect(store.has(hash), path).toBe(true);
      expect(verified(dir), path).toMatchObject({ damaged: 0, damagedPacks: 0 });
      for (const hash of await act(dir)) expect(createFsStore(dir).get(hash), path).not.toBeNull();
      await repairStore(dir, { now: Date.now() + 7_200_000, hold: (work) => work(), tell: () => {} });
      expect(verified(dir), path).toMatchObject({ ...SOUND, nodes: kept.length + MANY });
    }
  }, 60_000);

  it("leave nothing when the work fails", async () => {
    const { dir, store, type } = await storeWithType();
    const before = store.list();
    const work = store.together(async (cas) => {
      for (let n = 0; n < MANY; n += 1) await cas.put(type, person(`Ada ${n}`));
      throw new Error("changed my mind");
    });
    await expect(work).rejects.toThrow("changed my mind");
    expect(store.list()).toEqual(before);
    expect(leftovers(dir)).toEqual([]);
  });

  it("are written again where a pack has them, with their first time, or refreshed where they have files", async () => {
    const { dir, type } = await storeWithType();
    const [packed = META_SCHEMA_HASH] = await putMany(dir, type, "Ada");
    const loose = await createFsStore(dir).put(type, person("Loose"));
    const first = createFsStore(dir).get(packed)?.timestamp;
    utimesSync(join(dir, `${loose}.bin`), 1, 1);
    const later = createFsStore(dir, { now: () => 1_900_000_000_000 });
    await later.together(async (cas) => {
      await cas.put(type, person("Loose"));
      for (let n = 0; n < MANY; n += 1) await cas.put(type, person(`Ada ${n}`));
      expect(await cas.put(type, person("Ada 0"))).toBe(packed);
    });
    expect(packsIn(dir)).toHaveLength(2);
    expect(createFsStore(dir).get(packed)?.timestamp).toBe(first);
    expect(statSync(join(dir, `${loose}.bin`)).mtimeMs).toBe(1_900_000_000_000);
    expect(verified(dir)).toMatchObject(SOUND);
  });
});

describe("packs of many batches", () => {
  it("are merged when there are more than 32, and count as put when they were", async () => {
    const { dir, type } = await storeWithType();
    const hashes: Hash[] = [];
    for (let n = 0; n < 32; n += 1) hashes.push(...(await putMany(dir, type, `Guest ${n}`)));
    for (const name of packsIn(dir)) utimesSync(join(dir, "pack", name), 5, 5);
    hashes.push(...(await putMany(dir, type, "Last")));
    expect(packsIn(dir)).toHaveLength(1);
    expect(statSync(join(dir, "pack", packsIn(dir)[0] ?? "")).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    hashes.push(...(await putMany(dir, type, "Another")));
    expect(packsIn(dir)).toHaveLength(2);
    const store = createFsStore(dir);
    for (const hash of hashes) expect(store.get(hash)).not.toBeNull();
    expect(verified(dir)).toMatchObject({ ...SOUND, packed: hashes.length });
  });

  it("stay as they are while another process packs, and where one is damaged", async () => {
    const { dir, type } = await storeWithType();
    for (let n = 0; n < 31; n += 1) await putMany(dir, type, `Guest ${n}`);
    const broken = join(dir, "pack", packsIn(dir)[0] ?? "");
    const bytes = readFileSync(broken);
    bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
    writeFileSync(broken, bytes);
    forgetPacks(dir);
    await putMany(dir, type, "Fits");
    await putMany(dir, type, "One more");
    expect(packsIn(dir)).toHaveLength(2);
    expect(verified(dir)).toMatchObject({ damaged: 0, damagedPacks: 1, nodes: 33 * MANY + 2 });
  });

  it("say of no node that is not there that it is, and of none that it is missing", async () => {
    const { dir, type } = await storeWithType();
    const hashes: Hash[] = [];
    for (let n = 0; n < 20; n += 1) hashes.push(...(await putMany(dir, type, `Guest ${n}`)));
    const again = await createFsStore(dir).together(async (cas) => {
      const put: Hash[] = [];
      for (let n = 0; n < 20; n += 1) put.push(await cas.put(type, person(`Guest ${n} 0`)));
      for (let n = 0; n < 200; n += 1) put.push(await cas.put(type, person(`New ${n}`)));
      return put;
    });
    expect(again.slice(0, 20).every((hash) => hashes.includes(hash))).toBe(true);
    expect(verified(dir)).toMatchObject({ ...SOUND, nodes: 20 * MANY + 200 + 2 });
  });

  it("keep an index whose pack is about to get its name", async () => {
    const { dir, type } = await storeWithType();
    await putMany(dir, type, "Ada");
    const index = join(dir, "pack", "0000000000001.idx");
    const writing = join(dir, "pack", `new.pack.${process.pid.toString(36)}-1-00000000000.tmp`);
    const repair = () => repairStore(dir, { now: Date.now(), hold: (work) => work(), tell: () => {} });
    writeFileSync(index, "of a pack that has no name yet");
    writeFileSync(writing, "that pack");
    await repair();
    expect(readdirSync(join(dir, "pack"))).toContain("0000000000001.idx");
    rmSync(writing);
    await repair();
    expect(readdirSync(join(dir, "pack"))).not.toContain("0000000000001.idx");
  });
});

describe("gc over packs of batches", () => {
  it("keeps what a node reaches that is put again into another pack while it runs", async () => {
    const { dir, type } = await storeWithType();
    const hashes = await putMany(dir, type, "Ada");
    for (const name of packsIn(dir)) utimesSync(join(dir, "pack", name), 5, 5);
    let asked = 0;
    await collect(dir, [type], {
      roots: async (tell) => {
        asked += 1;
        tell({ hash: type, label: "given", required: true });
        if (asked !== 3) return;
        // The last of the chain, and so many others that they become a pack.
        await createFsStore(dir).together(async (cas) => {
          for (let n = 0; n < MANY; n += 1) await cas.put(type, person(`Other ${n}`));
          await cas.put(type, person("Ada 32", hashes.at(-2) ?? null));
        });
      },
    });
    expect(asked).toBeGreaterThan(3);
    for (const hash of hashes) expect(createFsStore(dir).has(hash)).toBe(true);
    expect(verified(dir)).toMatchObject({ damaged: 0, damagedPacks: 0 });
  });
});
