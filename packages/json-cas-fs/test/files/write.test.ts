import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFileExclusive, writeFileAtomic } from "../../src/index.js";
import { errnoError, isWriteSide, withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

describe("writeFileAtomic", () => {
  it("replaces the content and leaves no other file", () => {
    const dir = temporaryDir();
    const file = join(dir, "a.yaml");
    writeFileAtomic(file, "one", { mode: null });
    writeFileAtomic(file, new TextEncoder().encode("two"), { mode: null });
    expect(readFileSync(file, "utf8")).toBe("two");
    expect(readdirSync(dir)).toEqual(["a.yaml"]);
  });

  it("syncs the file before it gets its name, and the folder after", async () => {
    const dir = temporaryDir();
    const calls = await withFsCalls(() => writeFileAtomic(join(dir, "a"), "x", { mode: null }));
    const order = calls.filter((call) => call.name === "fsyncSync" || call.name === "renameSync");
    expect(order.map((call) => call.name)).toEqual(["fsyncSync", "renameSync", "fsyncSync"]);
    expect(order[0]?.path).toMatch(/\.tmp$/);
    expect(order[2]?.path).toBe(dir);
  });

  it("sets the mode that is asked for, whatever the umask", () => {
    const file = join(temporaryDir(), ".env");
    writeFileAtomic(file, "KEY=1", { mode: 0o600 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("keeps the mode of the file that is there", () => {
    const file = join(temporaryDir(), "config.yaml");
    writeFileSync(file, "a");
    chmodSync(file, 0o640);
    writeFileAtomic(file, "b", { mode: null });
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("writes through a symbolic link and keeps it", () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "dotfiles"));
    writeFileSync(join(dir, "dotfiles", "config.yaml"), "old");
    symlinkSync("dotfiles/config.yaml", join(dir, "config.yaml"));
    writeFileAtomic(join(dir, "config.yaml"), "new", { mode: null });
    expect(readlinkSync(join(dir, "config.yaml"))).toBe("dotfiles/config.yaml");
    expect(readFileSync(join(dir, "dotfiles", "config.yaml"), "utf8")).toBe("new");
  });

  it("names operation, path and reason when the folder is missing", () => {
    const file = join(temporaryDir(), "missing", "a");
    expect(() => writeFileAtomic(file, "x", { mode: null })).toThrowError(
      `cannot write ${file}: no such file or directory (ENOENT)`,
    );
  });

  it.each(["ENOSPC", "EIO"])(
    "leaves the old content or the new one whichever call fails with %s",
    async (code) => {
      const dir = temporaryDir();
      const file = join(dir, "a");
      writeFileSync(file, "old");
      const calls = await withFsCalls(() => writeFileAtomic(file, "new", { mode: null }));
      const positions = calls.flatMap((call, index) =>
        isWriteSide(call) && call.name !== "closeSync" ? [index + 1] : [],
      );
      expect(positions.length).toBeGreaterThan(5);
      for (const position of positions) {
        writeFileSync(file, "old");
        let error: unknown = null;
        await withFsCalls(
          () => {
            try {
              writeFileAtomic(file, "new", { mode: null });
            } catch (caught) {
              error = caught;
            }
          },
          (call, n) => {
            if (n === position) throw errnoError(code, call.name);
          },
        );
        expect(error, `call ${position}`).toBeInstanceOf(CasError);
        expect((error as unknown as CasError).fault).toMatchObject({ code: "IO_FAILED", errno: code });
        expect(["old", "new"]).toContain(readFileSync(file, "utf8"));
        expect(readdirSync(dir)).toEqual(["a"]);
      }
    },
  );
});

describe("createFileExclusive", () => {
  it("creates once and never replaces", () => {
    const dir = temporaryDir();
    expect(createFileExclusive(join(dir, "pid"), "1")).toBe(true);
    expect(createFileExclusive(join(dir, "pid"), "2")).toBe(false);
    expect(readFileSync(join(dir, "pid"), "utf8")).toBe("1");
    expect(readdirSync(dir)).toEqual(["pid"]);
  });

  it("syncs the folder also when the name is taken", async () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "pid"), "1");
    const calls = await withFsCalls(() => createFileExclusive(join(dir, "pid"), "2"));
    expect(calls.filter((call) => call.name === "fsyncSync").at(-1)?.path).toBe(dir);
  });

  it("syncs the content before the link", async () => {
    const calls = await withFsCalls(() => createFileExclusive(join(temporaryDir(), "pid"), "2"));
    const names = calls.map((call) => call.name);
    expect(names.indexOf("fsyncSync")).toBeLessThan(names.indexOf("linkSync"));
    expect(names.lastIndexOf("fsyncSync")).toBeGreaterThan(names.indexOf("linkSync"));
  });

  it("leaves nothing behind when the disk is full", async () => {
    const dir = temporaryDir();
    await withFsCalls(
      () => expect(() => createFileExclusive(join(dir, "pid"), "2")).toThrowError(/ENOSPC/),
      (call) => {
        if (call.name === "writeSync") throw errnoError("ENOSPC", "write");
      },
    );
    expect(existsSync(join(dir, "pid"))).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });
});
