import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFolder, writeFolder } from "../../src/index.js";
import { bad, good, THREAD, tempStorage } from "../support/index.js";

function kept() {
  const storage = tempStorage();
  good(writeFolder(storage, THREAD, "/work/here"));
  return { storage, file: join(storage.paths.runs, THREAD, "cwd.json") };
}

describe("the folder in which a thread's agents work", () => {
  it("is none before one is recorded, and then that one", () => {
    expect(good(readFolder(tempStorage(), THREAD))).toBeNull();
    expect(good(readFolder(kept().storage, THREAD))).toBe("/work/here");
  });

  it.each(["", "{", "[]", "{}", '{"cwd":7}', '{"cwd":"here"}'])(
    "is damage where the file says %j",
    (text) => {
      const { storage, file } = kept();
      writeFileSync(file, text);
      expect(bad(readFolder(storage, THREAD))).toMatchObject({ code: "STORE_DAMAGED", file });
    },
  );

  it("is never none where there is something that cannot be read", () => {
    const { storage, file } = kept();
    rmSync(file);
    mkdirSync(file);
    expect(readFolder(storage, THREAD).ok).toBe(false);
  });
});
