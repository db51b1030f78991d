import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copiedSince, ownRoot, type Storage } from "../../src/index.js";
import { bad, good, tempRoot, tempStorage } from "../support/index.js";

let count = 0;
const name = (): string => `name-of-root-${++count}`;

const own = async (storage: Storage) => good(await ownRoot(storage, name));

const recordOf = (storage: Storage) => JSON.parse(readFileSync(storage.paths.rootFile, "utf8"));

/** A copy as `cp -a` makes it. */
function copyOf({ root }: Storage): Storage {
  const to = join(tempRoot(), "copy");
  cpSync(root, to, { recursive: true, preserveTimestamps: true });
  return tempStorage(to);
}

describe("ownRoot", () => {
  it("gives a root a name once, which it keeps when it is renamed", async () => {
    const storage = tempStorage(join(tempRoot(), "root"));
    expect(existsSync(storage.paths.rootFile)).toBe(false);
    const first = await own(storage);
    expect(first).toMatchObject({ name: expect.stringMatching(/^name-of-root-/), copiedFrom: null });
    const before = readFileSync(storage.paths.rootFile, "utf8");
    renameSync(storage.root, `${storage.root}-renamed`);
    const renamed = tempStorage(`${storage.root}-renamed`);
    expect(await own(renamed)).toEqual(first);
    expect(readFileSync(renamed.paths.rootFile, "utf8")).toBe(before);
    expect(copiedSince(renamed)).toBe(0);
  });

  it("gives a copy a name of its own, says so once, and leaves the original as it is", async () => {
    const storage = tempStorage();
    const { name: original } = await own(storage);
    const copy = copyOf(storage);
    // A reader that looks before any command has acted: all that is there came with the copy.
    expect(copiedSince(copy)).toBe(Number.POSITIVE_INFINITY);
    const first = await own(copy);
    expect(first.name).not.toBe(original);
    expect(first.copiedFrom).toBe(storage.root);
    expect(await own(copy)).toMatchObject({ name: first.name, copiedFrom: null });
    expect(recordOf(copy)).toMatchObject({ name: first.name, copiedFrom: original });
    expect(copiedSince(copy)).toBe(recordOf(copy).since);
    expect(await own(storage)).toMatchObject({ name: original, copiedFrom: null });
  });

  it("gives one name to a copy in which several commands act at once", async () => {
    const storage = tempStorage();
    await own(storage);
    const copy = copyOf(storage);
    const all = await Promise.all([own(copy), own(copy), own(copy)]);
    expect(new Set(all.map((each) => each.name)).size).toBe(1);
    expect(all.filter((each) => each.copiedFrom !== null)).toHaveLength(1);
  });

  it("keeps the name after a restart, when the device has another number", async () => {
    const storage = tempStorage();
    const { name: given } = await own(storage);
    const record = recordOf(storage);
    const earlier = { ...record, bootId: "earlier", place: { ...record.place, device: "1" } };
    writeFileSync(storage.paths.rootFile, JSON.stringify(earlier));
    expect(await own(storage)).toMatchObject({ name: given, copiedFrom: null });
    expect(recordOf(storage)).toEqual(record);
  });

  it("takes the copy of a snapshot, which has the inode and another device, for one", async () => {
    const storage = tempStorage();
    const { name: given } = await own(storage);
    const record = recordOf(storage);
    const other = { ...record, place: { ...record.place, device: "1", folder: "/mnt/original" } };
    writeFileSync(storage.paths.rootFile, JSON.stringify(other));
    const taken = await own(storage);
    expect(taken.copiedFrom).toBe("/mnt/original");
    expect(taken.name).not.toBe(given);
  });

  it("refuses a damaged file and leaves it alone", async () => {
    const storage = tempStorage();
    writeFileSync(storage.paths.rootFile, '{"name":"x"}');
    expect(bad(await ownRoot(storage, name)).code).toBe("STORE_DAMAGED");
    expect(readFileSync(storage.paths.rootFile, "utf8")).toBe('{"name":"x"}');
  });
});
