import {
  appendFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CasError, type Hash, META_SCHEMA_HASH, putSchema, walk } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import {
  createFsStore,
  fsStoreFile,
  isAllThere,
  openExport,
  packStore,
  verifyStore,
} from "../../src/index.js";
import { withFsCalls } from "../support/fs-calls.js";
import { age } from "../support/gc.js";
import { skipFsync } from "../support/no-fsync.js";
import { person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";
import { exported, fileOf, friends, hashesIn, imported } from "./support.js";

skipFsync();

describe("an export", () => {
  it("holds what the roots reach and nothing else, each node after what it refers to", async () => {
    const { dir, type, ada, bob } = await friends();
    expect(hashesIn(exported(dir, [bob]))).toEqual([META_SCHEMA_HASH, type, ada, bob]);
  });

  it("has the same bytes for the same nodes, from whichever store, and whatever the order of the roots", async () => {
    const { dir, bob, cy, eve } = await friends();
    const text = exported(dir, [bob, cy, eve]);
    expect(exported(dir, [eve, bob, cy, bob])).toEqual(text);
    const other = join(temporaryDir(), "cas");
    await imported(other, text);
    await createFsStore(other).put(await putSchema(createFsStore(other), { title: "More" }), 1);
    expect(exported(other, [bob, cy, eve])).toEqual(text);
  });

  it("reads nothing but what the roots reach", async () => {
    const { dir, eve, bob } = await friends();
    const calls = await withFsCalls(() => exported(dir, [bob]));
    expect(calls.filter(({ path }) => path.includes(eve))).toEqual([]);
    expect(calls.map(({ name }) => name)).not.toContain("readdirSync");
  });

  it("is not made of a store in which something is missing, damaged or invalid", async () => {
    const { dir, ada, cy } = await friends();
    expect(() => exported(dir, ["0000000000001" as typeof ada])).toThrow("does not exist");
    truncateSync(fsStoreFile(dir, ada), 9);
    expect(() => exported(dir, [cy])).toThrow(CasError);
    rmSync(fsStoreFile(dir, ada));
    expect(() => exported(dir, [cy])).toThrow(`node ${ada} is damaged: does not exist (referred to by `);
  });
});

describe("an import", () => {
  it("brings every node with its first time, and indexes it", async () => {
    const { dir, store, type, ada, bob, cy } = await friends();
    const other = join(temporaryDir(), "cas");
    expect(await imported(other, exported(dir, [cy]))).toEqual({ added: 5 });
    const there = createFsStore(other);
    for (const hash of there.list()) expect(there.get(hash)).toEqual(store.get(hash));
    expect(there.listByType(type)).toEqual([ada, bob, cy].sort());
    expect(verifyStore(other, () => {})).toMatchObject({ nodes: 5, damaged: 0, staleIndexLines: 0 });
    const seen: unknown[] = [];
    walk(there, cy, ({ node }) => seen.push(node), { followTypes: true });
    expect(seen).not.toContain(null);
  });

  it("writes one pack, and no file for a node", async () => {
    const { dir, cy } = await friends();
    const other = join(temporaryDir(), "cas");
    await imported(other, exported(dir, [cy]));
    expect(readdirSync(other).sort()).toEqual(["_format", "_index", "pack"]);
    expect(readdirSync(join(other, "pack"))).toHaveLength(2);
  });

  it("changes nothing the second time, but counts as a put: of a file by its time, of a pack by that of the pack", async () => {
    const { dir, cy, ada } = await friends();
    const other = join(temporaryDir(), "cas");
    const text = exported(dir, [cy]);
    await imported(other, text);
    const names = readdirSync(join(other, "pack"));
    const pack = join(other, "pack", names.find((name) => name.endsWith(".pack"))!);
    utimesSync(pack, 1, 1);
    expect(await imported(other, text)).toEqual({ added: 0 });
    expect(readdirSync(join(other, "pack"))).toEqual(names);
    expect(statSync(pack).mtimeMs).toBeGreaterThan(Date.now() - 600_000);
    age(dir, ada);
    expect(await imported(dir, text)).toEqual({ added: 0 });
    expect(statSync(fsStoreFile(dir, ada)).mtimeMs).toBeGreaterThan(Date.now() - 600_000);
  });

  it("replaces a damaged node", async () => {
    const { dir, cy, ada } = await friends();
    const text = exported(dir, [cy]);
    writeFileSync(fsStoreFile(dir, ada), "x");
    await imported(dir, text);
    expect(verifyStore(dir, () => {}).damaged).toBe(0);
  });

  it("gives the entries as they were", async () => {
    const { dir, bob } = await friends();
    const entries = [{ thread: "x", at: 1.5 }, { name: "Zoë \u2028" }];
    const file = openExport(fileOf(exported(dir, [bob], entries)));
    expect(file).toMatchObject({ roots: [bob], entries, nodes: 4 });
    expect(file.get(bob)?.payload).toMatchObject({ name: "Bob" });
    file.close();
  });

  it("brings a thousand nodes, from files as from a pack", { timeout: 300_000 }, async () => {
    const { dir, store, type } = await friends();
    const hashes: Hash[] = [];
    for (let n = 0; n < 1100; n += 1)
      hashes.push(await store.put(type, person(`${n}`, hashes.at(-1) ?? null)));
    const root = hashes.at(-1)!;
    const file = exported(dir, [root]);
    await packStore(dir, { roots: [root], isWanted: () => true, now: Date.now });
    expect(exported(dir, [root])).toEqual(file);
    const other = join(temporaryDir(), "cas");
    await imported(other, file);
    const there = createFsStore(other);
    expect(there.list()).toEqual([META_SCHEMA_HASH, type, ...hashes].sort());
    for (const [n, hash] of hashes.entries())
      expect(there.get(hash)?.payload).toMatchObject({ name: `${n}` });
    expect(verifyStore(other, () => {})).toMatchObject({ nodes: 1102, damaged: 0, damagedPacks: 0 });
  });

  it("is all there only when each of its nodes is, in a file or in a pack", async () => {
    const { dir, bob, cy } = await friends();
    const isThere = (other: string): boolean => {
      const file = openExport(fileOf(exported(dir, [cy])));
      try {
        return isAllThere(other, file);
      } finally {
        file.close();
      }
    };
    const other = join(temporaryDir(), "cas");
    expect([isThere(dir), isThere(other)]).toEqual([true, false]);
    await imported(other, exported(dir, [bob]));
    expect(isThere(other)).toBe(false);
    await imported(other, exported(dir, [cy]));
    expect(isThere(other)).toBe(true);
  });

  it("imports nodes with another root type", async () => {
    // Written by the original program.
    const original = join(import.meta.dirname, "../../../json-cas/test/fixtures/store-0.4/cas");
    const store = createFsStore(original);
    const sound = store.list().filter((hash) => {
      try {
        return exported(original, [hash]).length > 0;
      } catch {
        return false;
      }
    });
    expect(sound.length).toBeGreaterThan(10);
    const other = join(temporaryDir(), "cas");
    await imported(other, exported(original, sound));
    expect(createFsStore(other).list()).toEqual(expect.arrayContaining([...sound]));
    expect(verifyStore(other, () => {}).damaged).toBe(0);
  });

  it("notices a file that changes between the check and the writing", async () => {
    const { dir, cy } = await friends();
    const path = fileOf(exported(dir, [cy]));
    const file = openExport(path);
    truncateSync(path, 500);
    appendFileSync(path, "\n");
    expect(() => file.each(() => {})).toThrow();
    file.close();
  });
});
