import { existsSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { collectSyncs } from "../../src/files/index.js";
import { fsyncDir, isLink, makeDir, refuseLink, removeIfThere } from "../../src/index.js";
import { errnoError, withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

async function synced(action: () => unknown): Promise<readonly string[]> {
  const calls = await withFsCalls(action);
  return calls.filter(({ name }) => name === "fsyncSync").map(({ path }) => path);
}

describe("makeDir", () => {
  it("makes the name of each new folder durable, outermost first, and no other", async () => {
    const dir = temporaryDir();
    expect(await synced(() => makeDir(join(dir, "a", "b", "c")))).toEqual([
      dir,
      join(dir, "a"),
      join(dir, "a", "b"),
    ]);
    expect(await synced(() => makeDir(join(dir, "a", "b", "c")))).toEqual([]);
    expect(await synced(() => makeDir(join(dir, "a", "d")))).toEqual([join(dir, "a")]);
  });

  it("names the path where there is a file", () => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, "");
    expect(() => makeDir(join(file, "a"))).toThrowError(`cannot create folder ${join(file, "a")}`);
  });
});

describe("fsyncDir", () => {
  it.each(["EINVAL", "ENOTSUP", "EOPNOTSUPP"])("goes on where the file system cannot: %s", async (code) => {
    const dir = temporaryDir();
    await withFsCalls(
      () => fsyncDir(dir),
      ({ name }) => {
        if (name === "fsyncSync") throw errnoError(code, "fsync");
      },
    );
  });

  it("fails where the disk does", async () => {
    const dir = temporaryDir();
    await withFsCalls(
      () => expect(() => fsyncDir(dir)).toThrowError(`cannot sync folder ${dir}`),
      ({ name }) => {
        if (name === "fsyncSync") throw errnoError("EIO", "fsync");
      },
    );
  });
});

describe("collectSyncs", () => {
  it("syncs each file and each folder once, when it is flushed, files first", async () => {
    const dir = temporaryDir();
    const [one, two] = [join(dir, "one"), join(dir, "two")];
    for (const file of [one, two]) writeFileSync(file, "");
    const syncs = collectSyncs();
    const early = await synced(() => {
      syncs.folder(dir);
      for (const file of [one, two, one]) syncs.file(file, -1);
      syncs.folder(dir);
    });
    expect(early).toEqual([]);
    expect(await synced(syncs.flush)).toEqual([one, two, dir]);
    expect(await synced(syncs.flush)).toEqual([]);
  });

  it("passes over a file that was taken away, and fails for one that the disk refuses", async () => {
    const dir = temporaryDir();
    const file = join(dir, "one");
    writeFileSync(file, "");
    const syncs = collectSyncs();
    syncs.file(file, -1);
    await withFsCalls(
      () => expect(syncs.flush).toThrowError(`cannot sync ${file}`),
      ({ name }) => {
        if (name === "fsyncSync") throw errnoError("EIO", "fsync");
      },
    );
    unlinkSync(file);
    syncs.flush();
  });
});

describe("links", () => {
  it("are told from everything else, and refused", () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "file"), "");
    symlinkSync("file", join(dir, "link"));
    symlinkSync("nowhere", join(dir, "dangling"));
    const names = ["none", "file", "link", "dangling"].map((name) => join(dir, name));
    expect(names.map(isLink)).toEqual([false, false, true, true]);
    for (const name of names.slice(0, 2)) refuseLink(name);
    for (const name of names.slice(2))
      expect(() => refuseLink(name)).toThrowError(`cannot write to ${name}: it is a symbolic link (ELOOP)`);
  });
});

describe("removeIfThere", () => {
  it("says whether there was a file, and fails for a folder", () => {
    const dir = temporaryDir();
    const file = join(dir, "file");
    writeFileSync(file, "");
    expect([removeIfThere(file), existsSync(file), removeIfThere(file)]).toEqual([true, false, false]);
    mkdirSync(file);
    expect(() => removeIfThere(file)).toThrowError(`cannot remove ${file}`);
  });
});
