import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import {
  type CasError,
  type CasNode,
  encodeNode,
  FOREIGN_ROOTS,
  type Hash,
  META_SCHEMA_HASH,
} from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, fsStoreFile } from "../../src/index.js";
import { errnoError, isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { person, storeWithType } from "../support/store.js";

async function storedPerson() {
  const { dir, store, type } = await storeWithType();
  const hash = await store.put(type, person("Ada"));
  return { dir, store, type, hash, file: fsStoreFile(dir, hash) };
}

function faultOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as CasError).fault;
  }
  return null;
}

describe("reading a node", () => {
  it("gives what was put, frozen, with the time of the first put", async () => {
    const { store, type, hash } = await storedPerson();
    const node = store.get(hash);
    expect(node).toEqual({ type, payload: { name: "Ada", friend: null }, timestamp: 1_700_000_000_000 });
    expect(Object.isFrozen(node?.payload)).toBe(true);
  });

  it("returns null for an unknown hash and for text that is not a hash", async () => {
    const { store } = await storedPerson();
    expect(store.get("0000000000001" as Hash)).toBeNull();
    expect(store.get("../../etc/passwd" as Hash)).toBeNull();
    expect(store.has("_format" as Hash)).toBe(false);
  });

  it("says of a file under a wrong name that its content is another node's", async () => {
    const { dir, store, file } = await storedPerson();
    const wrong = "0000000000001" as Hash;
    renameSync(file, fsStoreFile(dir, wrong));
    expect(faultOf(() => store.get(wrong))).toMatchObject({
      code: "NODE_DAMAGED",
      hash: wrong,
      reason: "its content has another hash",
    });
  });

  it("says of a root type that another program hashes in its own way which program that is", async () => {
    const { dir, store } = await storedPerson();
    const [[foreign, origin] = expect.fail("no other program is known")] = [...FOREIGN_ROOTS];
    const node = { type: foreign, payload: { type: "object" }, timestamp: 0 };
    writeFileSync(fsStoreFile(dir, foreign), encodeNode(node));
    expect(faultOf(() => store.get(foreign))).toMatchObject({
      code: "NODE_DAMAGED",
      reason: `it is the type of the schemas of a store that ${origin} has written, which hashes it in its own way`,
    });
  });

  it("sees what another process wrote since it was opened", async () => {
    const { dir, type } = await storeWithType();
    const reader = createFsStore(dir);
    expect(reader.list()).toHaveLength(2);
    const hash = await createFsStore(dir).put(type, person("Bob"));
    expect(reader.has(hash)).toBe(true);
    expect(reader.listByType(type)).toEqual([hash]);
  });

  it.each([60, 64, 65, 200])("gives a node of %d KiB as it was put, beside small ones", async (kilobytes) => {
    const { dir, store, type, hash } = await storedPerson();
    const large = await store.put(type, person("ä".repeat(kilobytes * 512)));
    const reader = createFsStore(dir);
    expect(reader.get(hash)?.payload).toEqual(person("Ada"));
    expect(reader.get(large)?.payload).toEqual(person("ä".repeat(kilobytes * 512)));
    expect(reader.get(hash)?.payload).toEqual(person("Ada"));
  });

  it("finds the store by any way to write its folder's path", async () => {
    const { dir, hash, file } = await storedPerson();
    for (const path of [dir, `${dir}/`, `${dir}/../${basename(dir)}`, dir]) {
      expect(createFsStore(path).get(hash)).not.toBeNull();
      expect(fsStoreFile(path, hash)).toBe(file);
    }
    expect(["", "."].map((path) => fsStoreFile(path, hash))).toEqual([`${hash}.bin`, `${hash}.bin`]);
  });

  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ["an empty file", (file) => truncateSync(file, 0)],
    ["a file that was cut short", (file) => truncateSync(file, 20)],
    ["trailing bytes", (file) => appendFileSync(file, "x")],
    [
      "a flipped bit",
      (file) => {
        const bytes = readFileSync(file);
        const at = bytes.indexOf("Ada");
        bytes[at] = "E".charCodeAt(0);
        writeFileSync(file, bytes);
      },
    ],
    ["something that is no CBOR", (file) => writeFileSync(file, "hello world")],
    ["CBOR that is no node", (file) => writeFileSync(file, new Uint8Array([0xa0]))],
    [
      "a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "a symbolic link, even to good bytes",
      (file) => {
        renameSync(file, `${file}.moved`);
        symlinkSync(`${file}.moved`, file);
      },
    ],
    [
      "a symbolic link to itself",
      (file) => {
        rmSync(file);
        symlinkSync(file, file);
      },
    ],
    [
      "a named pipe",
      (file) => {
        rmSync(file);
        execFileSync("mkfifo", [file]);
      },
    ],
    ["more bytes than a node may have", (file) => truncateSync(file, 32 * 1024 * 1024 + 1)],
  ];

  it.each(damages)("calls %s NODE_DAMAGED, naming file and hash", async (_what, damage) => {
    const { store, hash, file } = await storedPerson();
    damage(file);
    expect(faultOf(() => store.get(hash))).toMatchObject({ code: "NODE_DAMAGED", hash, file });
  });

  it("calls the good bytes of another node NODE_DAMAGED", async () => {
    const { store, type, hash, file } = await storedPerson();
    const other: CasNode = { type, payload: { name: "Eve" }, timestamp: 1 };
    writeFileSync(file, encodeNode(other));
    expect(faultOf(() => store.get(hash))).toMatchObject({ code: "NODE_DAMAGED", hash });
  });

  it.each(["EACCES", "EIO"])("calls a file that fails with %s NODE_DAMAGED", async (errno) => {
    const { store, hash, file } = await storedPerson();
    await withFsCalls(
      () => expect(faultOf(() => store.get(hash))).toMatchObject({ code: "NODE_DAMAGED", hash, file }),
      (call) => {
        if (call.name === "openSync" && call.path === file) throw errnoError(errno, "open");
      },
    );
  });

  it("calls a folder that is closed to us IO_FAILED", async () => {
    const { store, hash, file } = await storedPerson();
    await withFsCalls(
      () => expect(faultOf(() => store.get(hash))).toMatchObject({ code: "IO_FAILED", errno: "EACCES" }),
      (call) => {
        if (call.path === file) throw errnoError("EACCES", call.name);
      },
    );
  });

  it("calls too many open files IO_FAILED", async () => {
    const { store, hash, file } = await storedPerson();
    await withFsCalls(
      () => expect(faultOf(() => store.get(hash))).toMatchObject({ code: "IO_FAILED", errno: "EMFILE" }),
      (call) => {
        if (call.name === "openSync" && call.path === file) throw errnoError("EMFILE", "open");
      },
    );
  });

  it("writes nothing, so that it works on a read-only folder", async () => {
    const { dir, type, hash } = await storedPerson();
    const before = readdirSync(dir);
    const store = createFsStore(dir);
    const calls = await withFsCalls(
      () => {
        expect(store.get(hash)).not.toBeNull();
        expect(store.has(hash)).toBe(true);
        expect(store.listByType(type)).toEqual([hash]);
        expect(store.list()).toContain(hash);
      },
      (call) => {
        const isHarmless = call.name === "openSync" || call.name === "closeSync";
        if (isWriteSide(call) && !isHarmless) throw errnoError("EROFS", call.name);
      },
    );
    expect(calls.length).toBeGreaterThan(4);
    expect(readdirSync(dir)).toEqual(before);
  });
});

describe("the index", () => {
  it("lists the nodes of a type, sorted", async () => {
    const { store, type } = await storeWithType();
    const hashes = [];
    for (const name of ["c", "a", "b"]) hashes.push(await store.put(type, person(name)));
    expect(store.listByType(type)).toEqual([...hashes].sort());
    expect(store.listByType(META_SCHEMA_HASH)).toEqual([META_SCHEMA_HASH, type].sort());
  });

  it("drops lines that are torn, doubled or lead nowhere", async () => {
    const { dir, store, type, hash } = await storedPerson();
    appendFileSync(`${dir}/_index/${type}`, `${hash}\n0000000000001\n\ngarbage\n${hash.slice(0, 5)}`);
    expect(store.listByType(type)).toEqual([hash]);
  });

  it("is not disturbed by a torn last line: the next node has a line of its own", async () => {
    const { dir, store, type, hash } = await storedPerson();
    appendFileSync(`${dir}/_index/${type}`, hash.slice(0, 5));
    const next = await store.put(type, person("Bob"));
    expect(store.listByType(type)).toEqual([hash, next].sort());
  });
});
