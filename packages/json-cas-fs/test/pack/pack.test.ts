import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type CasError, encodeNode, type Hash, hashBytes, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import {
  createFsStore,
  createUsage,
  exportNodes,
  fsStoreFile,
  importNodes,
  openExport,
  reindexStore,
  repairStore,
  type StoreProblem,
  verifyStore,
} from "../../src/index.js";
import { forgetPacks } from "../../src/store/index.js";
import { withFsCalls } from "../support/fs-calls.js";
import { age, collect } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";
import { chain, packAll } from "./support.js";

skipFsync();

const NAMES = ["Ada", "Bob", "Cy", "Dan"];

async function packed(names: readonly string[] = NAMES) {
  const dir = join(temporaryDir(), "cas");
  const made = await chain(dir, names);
  const before = new Map(made.store.list().map((hash) => [hash, made.store.get(hash)]));
  const figures = await packAll(dir, [made.hashes.at(-1)!]);
  return { dir, ...made, before, figures, ...filesOf(dir) };
}

function filesOf(dir: string) {
  const names = readdirSync(join(dir, "pack")).sort();
  const of = (suffix: string): string => join(dir, "pack", names.find((name) => name.endsWith(suffix)) ?? "");
  return { pack: of(".pack"), idx: of(".idx") };
}

function problemsOf(dir: string): readonly StoreProblem[] {
  const problems: StoreProblem[] = [];
  verifyStore(dir, (problem) => problems.push(problem));
  return problems;
}

function repair(dir: string) {
  return repairStore(dir, { now: Date.now(), hold: (work) => work(), tell: () => {} });
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(file, bytes);
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return "none";
  } catch (error) {
    return (error as CasError).fault.code;
  }
}

describe("a packed store", () => {
  it("has its nodes in one file and its index, and reads as before", async () => {
    const { dir, store, type, hashes, before, figures } = await packed();
    expect(figures).toMatchObject({ packed: 6, merged: 0, loose: 0, packs: 1 });
    expect(readdirSync(dir).sort()).toEqual(["_format", "_index", "pack"]);
    for (const reader of [store, createFsStore(dir)]) {
      expect(reader.list()).toEqual([...before.keys()].sort());
      expect(reader.listByType(type)).toEqual([...hashes].sort());
      for (const [hash, node] of before) expect([reader.has(hash), reader.get(hash)]).toEqual([true, node]);
      expect(reader.get("0000000000001" as Hash)).toBeNull();
      expect(reader.has("0000000000001" as Hash)).toBe(false);
    }
    expect(verifyStore(dir, () => {})).toMatchObject({
      nodes: 6,
      packed: 6,
      packs: 1,
      damaged: 0,
      damagedPacks: 0,
    });
    expect(createUsage(dir).of([hashes[3]!])).toMatchObject({ nodes: 6, isWhole: true });
  });

  it("is a pack that can be imported, with a chain read forward after its types", async () => {
    const { pack, type, hashes } = await packed();
    const file = openExport(pack);
    const order: Hash[] = [];
    file.each((hash) => order.push(hash));
    file.close();
    expect(order).toEqual([META_SCHEMA_HASH, type, ...hashes]);
  });

  it("tells an older version by its format file what it needs", async () => {
    const { dir } = await packed();
    expect(readFileSync(join(dir, "_format"), "utf8")).toBe("2: packed nodes, needs a newer version\n");
  });

  it("gives new nodes files, and one that is put again too, with its first time", async () => {
    const { dir, type, hashes } = await packed();
    const later = createFsStore(dir, { now: () => 1_800_000_000_000 });
    expect(await later.put(type, person("Ada"))).toBe(hashes[0]);
    const eve = await later.put(type, person("Eve", hashes[3]!));
    expect(
      readdirSync(dir)
        .filter((name) => name.endsWith(".bin"))
        .sort(),
    ).toEqual([`${eve}.bin`, `${hashes[0]}.bin`].sort());
    expect(createFsStore(dir).get(hashes[0]!)?.timestamp).toBe(1_700_000_000_000);
    expect(verifyStore(dir, () => {})).toMatchObject({ nodes: 7, damaged: 0, staleIndexLines: 1 });
  });

  it("asks for no pack where none is, and reads no folder for a node that has a file", async () => {
    const dir = join(temporaryDir(), "cas");
    const { hashes } = await chain(dir, NAMES);
    const calls = await withFsCalls(() => createFsStore(dir).get(hashes[0]!));
    expect(calls.filter(({ path }) => path.includes("pack"))).toEqual([]);
  });

  it("is packed again with what is new, into one pack", async () => {
    const { dir, store, type, hashes } = await packed();
    for (let n = 0; n < 40; n += 1) hashes.push(await store.put(type, person(`${n}`, hashes.at(-1)!)));
    expect(await packAll(dir)).toMatchObject({ packed: 46, merged: 1, loose: 0, packs: 1 });
    expect(readdirSync(join(dir, "pack"))).toHaveLength(2);
    for (const hash of hashes) expect(store.has(hash)).toBe(true);
    expect(await packAll(dir)).toMatchObject({ packed: 0, pack: null, packs: 1 });
  });

  it("leaves a large pack alone when little is new", async () => {
    const { dir, store, type } = await packed([...Array(60).keys()].map((n) => `person ${n}`));
    await store.put(type, person("New"));
    expect(await packAll(dir)).toMatchObject({ packed: 1, merged: 0, packs: 2 });
    expect(verifyStore(dir, () => {})).toMatchObject({ nodes: 63, damaged: 0 });
  });

  it("leaves damaged nodes as they are, and says of them what it said before", async () => {
    const dir = join(temporaryDir(), "cas");
    const { store, hashes } = await chain(dir, NAMES);
    truncateSync(fsStoreFile(dir, hashes[0]!), 9);
    expect(await packAll(dir)).toMatchObject({ packed: 5, loose: 1 });
    expect(codeOf(() => store.get(hashes[0]!))).toBe("NODE_DAMAGED");
  });

  it("is held by one that packs: a second one waits, then gives up", async () => {
    const { dir, store, type } = await packed();
    await store.put(type, person("New"));
    const other = packAll(dir);
    const results = await Promise.allSettled([other, packAll(dir)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(verifyStore(dir, () => {})).toMatchObject({ nodes: 7, damaged: 0 });
  });

  it("writes through no link", async () => {
    const dir = join(temporaryDir(), "cas");
    await chain(dir, NAMES);
    const outside = join(temporaryDir(), "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(dir, "pack"));
    await expect(packAll(dir)).rejects.toMatchObject({ fault: { code: "IO_FAILED" } });
    expect(readdirSync(outside)).toEqual([]);
  });
});

it("is merged from the smallest packs when imports make many", async () => {
  const dir = join(temporaryDir(), "cas");
  const { store, type } = await chain(
    dir,
    [...Array(400).keys()].map((n) => `person ${n}`),
  );
  await packAll(dir);
  for (let index = 0; index < 34; index += 1) {
    const other = join(temporaryDir(), "cas");
    const { hashes } = await chain(other, [`guest ${index}`]);
    const pieces: Uint8Array[] = [];
    exportNodes(other, hashes, [], (piece) => pieces.push(Buffer.from(piece)));
    const path = join(temporaryDir(), "guest.pack");
    writeFileSync(path, Buffer.concat(pieces));
    const file = openExport(path);
    await importNodes(dir, file, Date.now);
    file.close();
  }
  expect(readdirSync(join(dir, "pack")).length / 2).toBeLessThan(6);
  expect(verifyStore(dir, () => {})).toMatchObject({ nodes: 436, damaged: 0, damagedPacks: 0 });
  await store.put(type, person("Last"));
  expect(await packAll(dir)).toMatchObject({ loose: 0 });
});

describe("a reader that opened the store before", () => {
  it("finds nodes that were packed since, packed again, and packed for the first time", async () => {
    const dir = join(temporaryDir(), "cas");
    const { store, type, hashes } = await chain(dir, NAMES);
    const reader = createFsStore(dir);
    expect(reader.has(hashes[0]!)).toBe(true);
    await packAll(dir);
    for (const hash of hashes) expect(reader.get(hash)).not.toBeNull();
    hashes.push(await store.put(type, person("Eve")));
    for (const name of ["F", "G", "H", "I"]) hashes.push(await store.put(type, person(name)));
    await packAll(dir);
    for (const hash of hashes) expect(reader.get(hash)).not.toBeNull();
  });

  it("says of what gc removed from a pack that it is missing", async () => {
    const { dir, store, hashes, pack } = await packed();
    expect(store.has(hashes[3]!)).toBe(true);
    utimesSync(pack, 1, 1);
    await collect(dir, [hashes[1]!]);
    expect(store.has(hashes[3]!)).toBe(false);
    expect(store.get(hashes[3]!)).toBeNull();
    expect(store.get(hashes[1]!)).not.toBeNull();
  });
});

describe("gc over packs", () => {
  it("writes them again without what nothing reaches, whatever has a file", async () => {
    const { dir, store, type, hashes, pack } = await packed();
    const eve = await store.put(type, person("Eve", hashes[3]!));
    age(dir, eve);
    utimesSync(pack, 1, 1);
    const { figures, troubles } = await collect(dir, [hashes[1]!]);
    expect(troubles).toEqual([]);
    expect(figures).toMatchObject({ nodes: 7, reachable: 4, garbage: 3, removed: 3, indexLines: 3 });
    expect(createFsStore(dir).list()).toHaveLength(4);
    expect(verifyStore(dir, () => {})).toMatchObject({
      nodes: 4,
      damaged: 0,
      damagedPacks: 0,
      staleIndexLines: 0,
    });
  });

  it("removes a pack in which nothing is left", async () => {
    const { dir, type, pack } = await packed();
    utimesSync(pack, 1, 1);
    const { figures } = await collect(dir, [type]);
    expect(figures).toMatchObject({ removed: 4 });
    expect(createFsStore(dir).list()).toEqual([META_SCHEMA_HASH, type].sort());
  });

  it("keeps a pack within the grace period, and what is put again", async () => {
    const { dir, store, type, hashes, pack } = await packed();
    expect((await collect(dir, [type])).figures).toMatchObject({ garbage: 0, young: 4 });
    utimesSync(pack, 1, 1);
    await store.put(type, person("Ada"));
    const { figures } = await collect(dir, [type]);
    expect(figures).toMatchObject({ removed: 3 });
    expect(createFsStore(dir).has(hashes[0]!)).toBe(true);
    expect(verifyStore(dir, () => {})).toMatchObject({ nodes: 3, damaged: 0 });
  });

  it("keeps what becomes a root while the pack is written", async () => {
    const { dir, hashes, type, pack } = await packed();
    utimesSync(pack, 1, 1);
    let asked = 0;
    const roots = async (tell: (root: { hash: Hash; label: string; required: boolean }) => void) => {
      asked += 1;
      tell({ hash: type, label: "given", required: true });
      if (asked > 3) tell({ hash: hashes[2]!, label: "late", required: true });
    };
    await collect(dir, [], { roots });
    expect(createFsStore(dir).has(hashes[2]!)).toBe(true);
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0 });
  });

  it("packs what it keeps when that are many files, and leaves what is only young", async () => {
    const dir = join(temporaryDir(), "cas");
    const { store, type, hashes } = await chain(dir, NAMES);
    const young = await store.put(type, person("Young"));
    const pack = { above: 3, first: async () => [hashes[3]!], now: Date.now };
    const { figures } = await collect(dir, [hashes[3]!], { pack });
    expect(figures).toMatchObject({ packed: 6, young: 1 });
    expect(readdirSync(dir).filter((name) => name.endsWith(".bin"))).toEqual([`${young}.bin`]);
    expect((await collect(dir, [hashes[3]!], { pack })).figures.packed).toBe(0);
  });

  it("leaves a pack alone that has a node which its index does not name", async () => {
    const { dir, hashes, before, pack, idx } = await packed();
    const whole = readFileSync(idx);
    const entries = whole.length - 13 - 20 * before.size;
    const at = entries + 20 * [...before.keys()].sort().indexOf(hashes[3]!);
    const body = Buffer.from(whole.subarray(0, -13));
    // The entry beside it instead, which keeps the order.
    whole.copy(body, at, at === entries ? at + 20 : at - 20, at === entries ? at + 40 : at);
    writeFileSync(idx, Buffer.concat([body, Buffer.from(hashBytes(body))]));
    const bytes = readFileSync(pack);
    utimesSync(pack, 1, 1);
    const { figures } = await collect(dir, [hashes[1]!]);
    expect(figures).toMatchObject({ garbage: 1, removed: 0 });
    expect(readFileSync(pack)).toEqual(bytes);
    await repair(dir);
    expect(createFsStore(dir).has(hashes[3]!)).toBe(true);
  });

  it("removes nothing while a pack cannot be read", async () => {
    const { dir, idx, type } = await packed();
    rmSync(idx);
    await expect(collect(dir, [type])).rejects.toMatchObject({ fault: { code: "PACK_DAMAGED", file: idx } });
  });
});

describe("a damaged pack", () => {
  it("without its index is damage, and reindex makes the index again", async () => {
    const { dir, idx, store, before, hashes } = await packed();
    const whole = readFileSync(idx);
    rmSync(idx);
    forgetPacks(dir);
    expect(codeOf(() => store.get(hashes[0]!))).toBe("PACK_DAMAGED");
    expect(codeOf(() => store.has(hashes[0]!))).toBe("PACK_DAMAGED");
    expect(problemsOf(dir)).toMatchObject([{ kind: "pack", hash: null, file: idx }]);
    expect(await reindexStore(dir)).toMatchObject({ packIndexes: 1, added: 0, removed: 0 });
    expect(readFileSync(idx)).toEqual(whole);
    for (const [hash, node] of before) expect(createFsStore(dir).get(hash)).toEqual(node);
  });

  it("is told by any flipped bit of its index, and repaired", async () => {
    const { dir, idx, before } = await packed();
    const whole = readFileSync(idx);
    for (let at = 0; at < whole.length; at += 5) {
      flip(idx, at);
      const verified = verifyStore(dir, () => {});
      expect(verified.damaged + verified.damagedPacks, String(at)).toBeGreaterThan(0);
      for (const hash of before.keys()) {
        expect(["none", "NODE_DAMAGED", "PACK_DAMAGED"], String(at)).toContain(
          codeOf(() => {
            if (createFsStore(dir).get(hash) === null)
              throw Object.assign(new Error(), { fault: { code: "missing" } });
          }),
        );
      }
      await repair(dir);
      expect(readFileSync(idx), String(at)).toEqual(whole);
    }
  });

  it("is told by an index that is not sorted or names a node twice, though its checksum is right", async () => {
    const { dir, idx, before } = await packed();
    const whole = readFileSync(idx);
    const [entries, length] = [whole.length - 13 - 20 * before.size, 20];
    const entry = (at: number): Buffer => whole.subarray(entries + at * length, entries + (at + 1) * length);
    const spoil = (...order: readonly number[]): void => {
      const bytes = Buffer.concat([whole.subarray(0, entries), ...order.map(entry)]);
      writeFileSync(idx, Buffer.concat([bytes, Buffer.from(hashBytes(bytes))]));
    };
    const order = [...before.keys()].map((_, at) => at);
    for (const spoilt of [order.toReversed(), [0, ...order.slice(0, -1)]]) {
      spoil(...spoilt);
      const told: StoreProblem[] = [];
      const verified = verifyStore(dir, (problem) => told.push(problem));
      // Each that the index names at all is looked at once.
      expect([verified.nodes, verified.damagedPacks]).toEqual([new Set(spoilt).size, 1]);
      expect(told.find(({ kind }) => kind === "pack")?.message).toMatch(/^its index misses [1-9]/);
      await repair(dir);
      expect(readFileSync(idx)).toEqual(whole);
    }
  });

  it("is told by any flipped bit of the pack", async () => {
    const { dir, pack } = await packed();
    const whole = readFileSync(pack);
    for (let at = 0; at < whole.length; at += 3) {
      flip(pack, at);
      const verified = verifyStore(dir, () => {});
      expect(verified.damaged + verified.damagedPacks, String(at)).toBeGreaterThan(0);
      writeFileSync(pack, whole);
    }
    expect(problemsOf(dir)).toEqual([]);
  });

  it("names the node whose bytes are wrong, and heals when it is put again", async () => {
    const { dir, pack, type, hashes, store } = await packed();
    flip(pack, readFileSync(pack).indexOf("Ada") + 1);
    expect(codeOf(() => createFsStore(dir).get(hashes[0]!))).toBe("NODE_DAMAGED");
    expect(codeOf(() => createFsStore(dir).get(hashes[1]!))).toBe("none");
    expect(problemsOf(dir).map(({ kind, hash }) => [kind, hash])).toEqual([
      ["damaged", hashes[0]],
      ["pack", null],
    ]);
    await store.put(type, person("Ada"));
    expect(createFsStore(dir).get(hashes[0]!)?.payload).toEqual(person("Ada"));
    expect((await repair(dir)).repaired).toMatchObject({ packsRewritten: 1 });
    expect(problemsOf(dir)).toEqual([]);
    expect(createFsStore(dir).list()).toHaveLength(6);
  });

  it("cut short, replaced by something else or by a link, is damage", async () => {
    const { dir, pack, hashes } = await packed();
    const whole = readFileSync(pack);
    const spoilers: readonly (() => void)[] = [
      () => truncateSync(pack, whole.length - 40),
      () => truncateSync(pack, 3),
      () => {
        rmSync(pack);
        execFileSync("mkfifo", [pack]);
      },
      () => {
        rmSync(pack);
        renameSync(join(dir, "_format"), join(dir, "other"));
        symlinkSync(join(dir, "other"), pack);
        writeFileSync(join(dir, "_format"), readFileSync(join(dir, "other")));
      },
    ];
    for (const spoil of spoilers) {
      spoil();
      forgetPacks(dir);
      expect(codeOf(() => createFsStore(dir).get(hashes[0]!))).toBe("PACK_DAMAGED");
      expect(problemsOf(dir)).toMatchObject([{ kind: "pack" }]);
      await expect(reindexStore(dir)).rejects.toMatchObject({ fault: { code: "PACK_DAMAGED" } });
      rmSync(pack);
      writeFileSync(pack, whole);
    }
    expect(problemsOf(dir)).toEqual([]);
  });

  it("does not keep readers from nodes that are elsewhere", async () => {
    const { dir, pack, type } = await packed();
    const store = createFsStore(dir);
    writeFileSync(fsStoreFile(dir, type), encodeNode(store.get(type)!));
    const eve = await store.put(type, person("Eve"));
    const fd = openSync(pack, "r+");
    writeSync(fd, "no pack", 0);
    closeSync(fd);
    forgetPacks(dir);
    expect(createFsStore(dir).get(eve)).not.toBeNull();
  });

  it("an index that an interrupted process left is harmless, and repair removes it", async () => {
    const { dir, idx, pack } = await packed();
    writeFileSync(join(dir, "pack", "0000000000001.idx"), readFileSync(idx));
    writeFileSync(join(dir, "pack", "new.pack.1-1-0123456789a.tmp"), "x");
    utimesSync(join(dir, "pack", "new.pack.1-1-0123456789a.tmp"), 1, 1);
    expect(verifyStore(dir, () => {})).toMatchObject({ damaged: 0, damagedPacks: 0, temporaryFiles: 1 });
    await repair(dir);
    expect(
      readdirSync(join(dir, "pack"))
        .map((name) => join(dir, "pack", name))
        .sort(),
    ).toEqual([idx, pack].sort());
  });
});
