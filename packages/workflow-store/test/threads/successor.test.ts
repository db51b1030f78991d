import { readFileSync } from "node:fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { addSuccessor, findThread, readFamily, readHeads } from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, startThread, THREAD, tempStorage } from "../support/index.js";

describe("addSuccessor", () => {
  it("begins a newer thread with the same random part, and ends the old one", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const place = { head: HASH_A, workFolder: storage.root, rewrittenFrom: null };
    const { thread, existing } = good(await addSuccessor(storage, THREAD, place));
    expect({ existing, isNewer: thread > THREAD, end: thread.slice(-16) }).toEqual({
      existing: false,
      isNewer: true,
      end: THREAD.slice(-16),
    });
    expect(good(await readHeads(storage)).get(thread)).toBe(HASH_A);
    expect(good(await findThread(storage, THREAD))).toMatchObject({ kind: "ended", reason: "killed" });
    expect(good(readFamily(storage)).parentOf(thread)).toBeNull();
  });

  it("gives the same one to whoever comes again with its head, and refuses any other", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const place = { head: HASH_A, workFolder: storage.root, rewrittenFrom: null };
    const { thread } = good(await addSuccessor(storage, THREAD, place));
    const before = readFileSync(storage.paths.threads, "utf8");
    expect(good(await addSuccessor(storage, THREAD, place))).toEqual({ thread, existing: true });
    expect(bad(await addSuccessor(storage, THREAD, { ...place, head: HASH_B }))).toEqual({
      code: "INVALID_INPUT",
      what: `--instead-of ${THREAD}`,
      reason: `thread ${thread} stands in its place already`,
    });
    expect(readFileSync(storage.paths.threads, "utf8")).toBe(before);
  });

  it("is a fault, and changes nothing, after the last id that there can be", async () => {
    const storage = tempStorage();
    const last = `7ZZZZZZZZZ${THREAD.slice(-16)}` as ThreadId;
    await startThread(storage, last);
    const before = readFileSync(storage.paths.threads, "utf8");
    const place = { head: HASH_A, workFolder: storage.root, rewrittenFrom: null };
    expect(bad(await addSuccessor(storage, last, place))).toEqual({
      code: "INVALID_INPUT",
      what: `--instead-of ${last}`,
      reason: "its id is the last one that there can be, so no thread can come after it",
    });
    expect(readFileSync(storage.paths.threads, "utf8")).toBe(before);
    expect(good(await findThread(storage, last))).toMatchObject({ kind: "active" });
  });
});
