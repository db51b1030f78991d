import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderNames, readTail, readText, removeTree } from "../../src/files.js";
import { bad, good, tempRoot } from "../support/index.js";

describe("readText", () => {
  it("is null where there is no file", () => {
    expect(good(readText(join(tempRoot(), "none")))).toBeNull();
  });

  it("gives the text without its byte order mark", () => {
    const file = join(tempRoot(), "a");
    writeFileSync(file, "\uFEFFäöü\r\n");
    expect(good(readText(file))).toBe("äöü\r\n");
  });

  it("takes the replacement character for what it is where it was written", () => {
    const file = join(tempRoot(), "a");
    writeFileSync(file, "a\uFFFDb");
    expect(good(readText(file))).toBe("a\uFFFDb");
  });

  it("refuses bytes that are no text, folders, and paths below a file", () => {
    const root = tempRoot();
    writeFileSync(join(root, "a"), Uint8Array.of(0x61, 0xff));
    expect(bad(readText(join(root, "a")))).toMatchObject({ code: "STORE_DAMAGED" });
    expect(bad(readText(root))).toMatchObject({
      code: "STORE_DAMAGED",
      reason: "it is not a regular file",
    });
    expect(bad(readText(join(root, "a", "b")))).toMatchObject({ code: "IO_FAILED", errno: "ENOTDIR" });
  });
});

describe("readTail", () => {
  it("reads the end of a file, and nothing where there is none", () => {
    const file = join(tempRoot(), "a");
    expect(readTail(file, 4)).toBe("");
    writeFileSync(file, "abcdef");
    expect([readTail(file, 4), readTail(file, 6), readTail(file, 100), readTail(file, 0)]).toEqual([
      "cdef",
      "abcdef",
      "abcdef",
      "",
    ]);
  });
});

describe("folders", () => {
  it("are listed sorted, none where there is none, and removed with all that is in them", () => {
    const root = tempRoot();
    for (const name of ["b", "a"]) mkdirSync(join(root, name, "below"), { recursive: true });
    expect(folderNames(root)).toEqual(["a", "b"]);
    expect(folderNames(join(root, "none"))).toEqual([]);
    removeTree(join(root, "a"));
    removeTree(join(root, "none"));
    expect(folderNames(root)).toEqual(["b"]);
  });
});
