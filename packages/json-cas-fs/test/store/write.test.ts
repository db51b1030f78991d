import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CasError, encodeNode, type Hash, putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, fsStoreFile, verifyStore } from "../../src/index.js";
import { errnoError, type FsCall, isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { skipFsync } from "../support/no-fsync.js";
import { leftovers, PERSON_SCHEMA, person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

const ORDERED = ["fsyncSync", "linkSync", "renameSync", "unlinkSync"];

describe("links inside of a store", () => {
  it.each(["_index", "_format"])("are not followed: %s", async (name) => {
    const { dir, type } = await storeWithType();
    const outside = join(dir, "..", `outside-${name}`);
    if (name === "_index") mkdirSync(outside);
    else writeFileSync(outside, "kept");
    rmSync(join(dir, name), { recursive: true });
    symlinkSync(outside, join(dir, name));
    const put = createFsStore(dir).put(type, person("Ada"));
    await expect(put).rejects.toMatchObject({ fault: { code: "IO_FAILED", errno: "ELOOP" } });
    expect(name === "_index" ? readdirSync(outside) : readFileSync(outside, "utf8")).toHaveLength(
      name === "_index" ? 0 : 4,
    );
  });
});

describe("the index of a type", () => {
  it("has a line per node, in the order in which they were put, and nothing else", async () => {
    const { dir, store, type } = await storeWithType();
    const [ada, bob] = [await store.put(type, person("Ada")), await store.put(type, person("Bob"))];
    await store.put(type, person("Ada"));
    const file = join(dir, "_index", type);
    expect(readFileSync(file, "utf8")).toBe(`${ada}\n${bob}\n`);
    writeFileSync(file, `${ada}\n${bob.slice(0, 5)}`);
    const cy = await store.put(type, person("Cy"));
    expect(readFileSync(file, "utf8")).toBe(`${ada}\n${bob.slice(0, 5)}\n${cy}\n`);
  });
});

/** What a store does while it puts its first node of a type. */
async function watchedPut() {
  const { dir, store, type } = await storeWithType();
  const put: Hash[] = [];
  const calls = await withFsCalls(async () => {
    put.push(await store.put(type, person("Ada")));
  });
  return { dir, type, hash: put[0] ?? expect.fail("nothing was put"), calls };
}

describe("putting a node", () => {
  it("writes the index line, then the file, then the name, and syncs each before the next", async () => {
    const { dir, type, hash, calls } = await watchedPut();
    const file = fsStoreFile(dir, hash);
    const steps = calls.filter((call) => ORDERED.includes(call.name) || call.name === "writeSync");
    const shown = steps.map(
      ({ name, path }) => `${name} ${path.startsWith(`${file}.`) ? "temporary" : path}`,
    );
    const index = join(dir, "_index", type);
    expect(shown).toEqual([
      `writeSync ${index}`,
      `fsyncSync ${index}`,
      `fsyncSync ${join(dir, "_index")}`,
      "writeSync temporary",
      "fsyncSync temporary",
      `linkSync ${file}`,
      "unlinkSync temporary",
      `fsyncSync ${dir}`,
    ]);
  });

  it("finds out that a node is new by three looks, and opens nothing that is not there", async () => {
    const { dir, hash, calls } = await watchedPut();
    const file = fsStoreFile(dir, hash);
    const aside = join(dir, `${hash}.aside`);
    const looks = calls.filter(({ path }) => path === file || path === aside);
    expect(looks.map(({ name, path }) => [name, path])).toEqual([
      ["lstatSync", file],
      ["lstatSync", aside],
      ["lstatSync", file],
      ["linkSync", file],
    ]);
  });

  it("misses no node that gc puts back to its name while it is looked for", async () => {
    const { dir, store, type } = await storeWithType();
    const hash = await store.put(type, person("Ada"));
    const file = fsStoreFile(dir, hash);
    const aside = join(dir, `${hash}.aside`);
    renameSync(file, aside);
    let isBack = false;
    const calls = await withFsCalls(
      () => store.put(type, person("Ada")),
      ({ path }) => {
        if (isBack || path !== aside) return;
        isBack = true;
        renameSync(aside, file);
      },
    );
    expect(isBack).toBe(true);
    expect(calls.filter(({ name }) => name === "linkSync" || name === "writeSync")).toEqual([]);
    expect(store.get(hash)).toMatchObject({ payload: person("Ada") });
  });

  it("makes the index's folder again if it was removed, and refuses a file in its place", async () => {
    const { dir, store, type } = await storeWithType();
    const index = join(dir, "_index");
    rmSync(index, { recursive: true });
    const hash = await store.put(type, person("Ada"));
    expect(readFileSync(join(index, type), "utf8")).toBe(`${hash}\n`);
    rmSync(index, { recursive: true });
    writeFileSync(index, "");
    const put = store.put(type, person("Bea"));
    await expect(put).rejects.toMatchObject({
      fault: { code: "IO_FAILED", operation: "create folder", path: index },
    });
    expect(leftovers(dir)).toEqual([]);
  });

  it("makes the folders of a new store durable", async () => {
    const parent = temporaryDir();
    const dir = join(parent, "a", "cas");
    const calls = await withFsCalls(() => putSchema(createFsStore(dir), PERSON_SCHEMA));
    const synced = calls.filter((call) => call.name === "fsyncSync").map((call) => call.path);
    expect(synced).toEqual(expect.arrayContaining([parent, join(parent, "a"), dir, join(dir, "_index")]));
    expect(synced.indexOf(parent)).toBeLessThan(synced.indexOf(join(dir, "_index")));
  });

  it("compares what exists, syncs the folder and refreshes the time of the file", async () => {
    const { dir, store, type } = await storeWithType();
    const hash = await store.put(type, person("Ada"));
    const file = fsStoreFile(dir, hash);
    const index = readFileSync(join(dir, "_index", type), "utf8");
    utimesSync(file, 1, 1);
    const later = createFsStore(dir, { now: () => 1_800_000_000_000 });
    const calls = await withFsCalls(() => later.put(type, person("Ada")));
    expect(statSync(file).mtimeMs).toBe(1_800_000_000_000);
    expect(calls.filter((call) => call.name === "fsyncSync").at(-1)?.path).toBe(dir);
    expect(store.get(hash)?.timestamp).toBe(1_700_000_000_000);
    expect(readFileSync(join(dir, "_index", type), "utf8")).toBe(index);
  });

  it("puts an equal file in place of one whose time it may not set", async () => {
    const { dir, store, type } = await storeWithType();
    const hash = await store.put(type, person("Ada"));
    const file = fsStoreFile(dir, hash);
    const before = { bytes: readFileSync(file), inode: statSync(file).ino };
    await withFsCalls(
      () => store.put(type, person("Ada")),
      (call) => {
        if (call.name === "utimesSync") throw errnoError("EPERM", "utimes");
      },
    );
    expect(readFileSync(file)).toEqual(before.bytes);
    expect(statSync(file).ino).not.toBe(before.inode);
  });

  it.each([
    ["an empty file", (file: string) => writeFileSync(file, "")],
    ["a folder", (file: string) => mkdirSync(join(file, "inner"), { recursive: true })],
    ["a dangling link", (file: string) => symlinkSync("nowhere", file)],
  ])("replaces %s under the name of the node", async (_what, damage) => {
    const { dir, store, type } = await storeWithType();
    const hash = await store.put(type, person("Ada"));
    const file = fsStoreFile(dir, hash);
    rmSync(file);
    damage(file);
    expect(await store.put(type, person("Ada"))).toBe(hash);
    expect(store.get(hash)?.payload).toEqual(person("Ada"));
    expect(verifyStore(dir, () => {}).damaged).toBe(0);
  });

  it("leaves no file for a payload that violates its schema, an unknown type, or a value that is not JSON", async () => {
    const { dir, store, type } = await storeWithType();
    const before = store.list();
    await expect(store.put(type, { nam: "Ada" })).rejects.toMatchObject({
      fault: { code: "INVALID_PAYLOAD" },
    });
    await expect(store.put("0000000000001" as Hash, 1)).rejects.toMatchObject({
      fault: { code: "UNKNOWN_TYPE" },
    });
    await expect(store.put(type, { name: Number.NaN })).rejects.toBeInstanceOf(CasError);
    expect(store.list()).toEqual(before);
    expect(existsSync(join(dir, "_index", type))).toBe(false);
  });

  it("refuses a node above 32 MiB before anything is written", async () => {
    const { dir, store } = await storeWithType();
    const type = await putSchema(store, { type: "string" });
    await expect(store.put(type, "x".repeat(32 * 1024 * 1024))).rejects.toMatchObject({
      fault: { code: "NOT_STORABLE" },
    });
    expect(existsSync(join(dir, "_index", type))).toBe(false);
  });

  it("does not alias other content under its name, but replaces it", async () => {
    const { dir, store, type } = await storeWithType();
    const hash = await store.put(type, person("Ada"));
    const other = encodeNode({ type, payload: person("Eve"), timestamp: 1 });
    writeFileSync(fsStoreFile(dir, hash), other);
    expect(await store.put(type, person("Ada"))).toBe(hash);
    expect(store.get(hash)?.payload).toEqual(person("Ada"));
  });

  it("is in the index even if that is replaced between the line and the node", async () => {
    const { dir, store, type } = await storeWithType();
    const index = join(dir, "_index", type);
    const calls = await withFsCalls(
      () => store.put(type, person("Ada")),
      (call) => {
        if (call.name !== "linkSync") return;
        rmSync(index);
        writeFileSync(index, "");
      },
    );
    expect(calls.filter((call) => call.path === index && call.name === "openSync")).toHaveLength(2);
    expect(store.listByType(type)).toHaveLength(1);
  });

  it("keeps every node when many processes' worth of stores put at once", async () => {
    const { dir, type } = await storeWithType();
    const stores = Array.from({ length: 8 }, () => createFsStore(dir));
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const hashes = await Promise.all(
      stores.flatMap((store) => names.map((name) => store.put(type, person(name)))),
    );
    expect(new Set(hashes).size).toBe(names.length);
    expect([...createFsStore(dir).listByType(type)].sort()).toEqual([...new Set(hashes)].sort());
    expect(leftovers(dir)).toEqual([]);
  });
});

/** Calls that change something; an open for reading a node is none. */
function isRefusable(call: FsCall): boolean {
  return (
    isWriteSide(call) &&
    call.name !== "closeSync" &&
    !(call.name === "openSync" && call.path.endsWith(".bin"))
  );
}

describe("a put that the system refuses", () => {
  it.each(["ENOSPC", "EIO", "EROFS"])(
    "leaves the store unchanged or complete whichever call fails with %s",
    async (errno) => {
      const run = async (position: number) => {
        const dir = join(temporaryDir(), "cas");
        let failure: unknown = null;
        const calls = await withFsCalls(
          async () => {
            try {
              const store = createFsStore(dir);
              const type = await putSchema(store, PERSON_SCHEMA);
              await store.put(type, person("Ada"));
            } catch (error) {
              failure = error;
            }
          },
          (call, n) => {
            if (n === position && isRefusable(call)) throw errnoError(errno, call.name);
          },
        );
        return { dir, calls, failure };
      };
      const { calls, failure } = await run(-1);
      expect(failure).toBeNull();
      const positions = calls.flatMap((call, at) => (isRefusable(call) ? [at + 1] : []));
      expect(positions.length).toBeGreaterThan(20);
      for (const position of positions) {
        const broken = await run(position);
        const where = `${position}: ${JSON.stringify(calls[position - 1])}`;
        if (calls[position - 1]?.name !== "unlinkSync") {
          expect(broken.failure, where).toMatchObject({ fault: { code: "IO_FAILED", errno } });
        }
        // Whatever is there is whole, and the same work succeeds afterwards.
        expect(verifyStore(broken.dir, () => {}).damaged, where).toBe(0);
        const store = createFsStore(broken.dir);
        const type = await putSchema(store, PERSON_SCHEMA);
        const hash = await store.put(type, person("Ada"));
        expect(store.listByType(type)).toEqual([hash]);
      }
    },
  );
});
