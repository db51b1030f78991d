import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readWorkFolder, writeThreadRecord } from "../../src/index.js";
import { bad, good, THREAD, tempStorage } from "../support/index.js";

function kept() {
  const storage = tempStorage();
  good(writeThreadRecord(storage, THREAD, "folder", { cwd: "/work/here" }));
  return { storage, file: join(storage.paths.runs, THREAD, "cwd.json") };
}

describe("the folder in which a thread's agents work", () => {
  it("is none before one is recorded, and then that one", () => {
    expect(good(readWorkFolder(tempStorage(), THREAD))).toBeNull();
    expect(good(readWorkFolder(kept().storage, THREAD))).toBe("/work/here");
  });

  it.each(["", "{", "[]", "{}", '{"cwd":7}', '{"cwd":"here"}'])(
    "is damage where the file says %j",
    (text) => {
      const { storage, file } = kept();
      writeFileSync(file, text);
      expect(bad(readWorkFolder(storage, THREAD))).toMatchObject({ code: "STORE_DAMAGED", file });
    },
  );

  it("is never none where there is something that cannot be read", () => {
    const { storage, file } = kept();
    rmSync(file);
    mkdirSync(file);
    expect(readWorkFolder(storage, THREAD).ok).toBe(false);
  });
});
