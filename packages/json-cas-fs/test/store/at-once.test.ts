import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAtOnce } from "../../src/store/bytes.js";
import { temporaryDir } from "../support/temp.js";

const ROOM = 64 * 1024;

describe("a file that is read at once", () => {
  it.each([1, ROOM - 1])("is complete: %d bytes", (size) => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, Buffer.alloc(size, 7));
    expect(Buffer.from(readAtOnce(file) ?? []).equals(Buffer.alloc(size, 7))).toBe(true);
  });

  // As much as there is room for may be the beginning of more.
  it.each([0, ROOM, ROOM + 1])("is left to a careful reader with %d bytes", (size) => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, Buffer.alloc(size, 7));
    expect(readAtOnce(file)).toBeNull();
  });

  it("is left to a careful reader where it is none", () => {
    const dir = temporaryDir();
    mkdirSync(join(dir, "folder"));
    symlinkSync(join(dir, "nowhere"), join(dir, "link"));
    for (const name of ["nothing", "folder", "link"]) expect(readAtOnce(join(dir, name))).toBeNull();
  });
});
