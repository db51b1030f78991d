import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { readHashMap, updateHashMap } from "../../src/hash-map-file.js";
import { bad, good, HASH_A, HASH_B, snapshot, tempRoot, threadAt } from "../support/index.js";

const SPEC = { key: "[0-7][0-9A-HJKMNP-TV-Z]{25}", keyName: "thread id" };
const [ONE, TWO] = [threadAt(1), threadAt(2)];

function file(content: string | Uint8Array | null): string {
  const path = join(tempRoot(), "threads.yaml");
  if (content !== null) writeFileSync(path, content);
  return path;
}

function set(path: string, edit: { key: string; value: Hash | null }): Promise<Result<void, Fault>> {
  return updateHashMap(path, SPEC, () => ok([edit]));
}

describe("a flat file", () => {
  it("that is missing is empty", async () => {
    expect(good(await readHashMap(file(null), SPEC)).size).toBe(0);
  });

  it.each([
    ["zero bytes", ""],
    ["blank space", " \n\n"],
    ["a byte order mark alone", "\uFEFF"],
    ["only a comment", "# all gone\n"],
    ["a list", `- ${ONE}\n`],
    ["text cut in the middle of a line", `${ONE}: "${HASH_A}"\n${TWO}: "012`],
    ["bytes that are no text", Uint8Array.of(0xff, 0xfe, 0x00)],
  ])("of %s is damage, and nothing is written over it", async (_, content) => {
    const path = file(content);
    const before = snapshot(join(path, ".."));
    expect(bad(await readHashMap(path, SPEC))).toMatchObject({ code: "STORE_DAMAGED", file: path });
    expect(bad(await set(path, { key: ONE, value: HASH_B }))).toMatchObject({ code: "STORE_DAMAGED" });
    expect(bad(await set(path, { key: ONE, value: null }))).toMatchObject({ code: "STORE_DAMAGED" });
    expect(snapshot(join(path, ".."))).toEqual(before);
  });

  it("names the line that is wrong", async () => {
    const path = file(`${ONE}: "${HASH_A}"\n${TWO}: nonsense\n`);
    expect(bad(await readHashMap(path, SPEC))).toMatchObject({
      reason: `line 2: the value of ${TWO} is "nonsense", not a hash`,
    });
  });

  it("with a byte order mark or CRLF is read and written on", async () => {
    for (const text of [`\uFEFF${ONE}: "${HASH_A}"\n`, `${ONE}: "${HASH_A}"\r\n`]) {
      const path = file(text);
      good(await set(path, { key: TWO, value: HASH_B }));
      expect(Object.fromEntries(good(await readHashMap(path, SPEC)))).toEqual({
        [ONE]: HASH_A,
        [TWO]: HASH_B,
      });
    }
  });

  it("that is a folder is damage", async () => {
    expect(bad(await readHashMap(tempRoot(), SPEC))).toMatchObject({ code: "STORE_DAMAGED" });
  });

  it("is made by its first entry, and stays as {} after its last", async () => {
    const path = file(null);
    good(await set(path, { key: ONE, value: HASH_A }));
    expect(readFileSync(path, "utf8")).toBe(`${ONE}: "${HASH_A}"\n`);
    good(await set(path, { key: ONE, value: null }));
    expect(readFileSync(path, "utf8")).toBe("{}\n");
    expect(good(await readHashMap(path, SPEC)).size).toBe(0);
  });

  it("is not written when there is nothing to do or the decision refuses", async () => {
    const path = file(`${ONE}: "${HASH_A}"\n`);
    const before = snapshot(join(path, ".."));
    good(await set(path, { key: ONE, value: HASH_A }));
    good(await set(path, { key: TWO, value: null }));
    const refusal = err(fault("THREAD_NOT_FOUND", { thread: TWO }));
    expect(bad(await updateHashMap(path, SPEC, () => refusal)).code).toBe("THREAD_NOT_FOUND");
    expect(snapshot(join(path, ".."))).toEqual(before);
    const missing = file(null);
    good(await set(missing, { key: ONE, value: null }));
    expect(existsSync(missing)).toBe(false);
  });
});

describe("a large file", () => {
  const COUNT = 8_000;
  const text = Array.from({ length: COUNT }, (_, n) => `${threadAt(n)}: "${HASH_A}"\n`).join("");
  const middle = threadAt(COUNT / 2);

  it("gives and changes one line, and carries over the others byte by byte", async () => {
    const path = file(text);
    for (const key of [threadAt(0), middle, threadAt(COUNT - 1)]) {
      expect(good(await readHashMap(path, SPEC)).get(key)).toBe(HASH_A);
      good(await set(path, { key, value: HASH_B }));
      expect(good(await readHashMap(path, SPEC)).get(key)).toBe(HASH_B);
      good(await set(path, { key, value: HASH_A }));
    }
    expect(readFileSync(path, "utf8")).toBe(text);
    good(await set(path, { key: middle, value: null }));
    expect(good(await readHashMap(path, SPEC)).has(middle)).toBe(false);
    good(await set(path, { key: middle, value: HASH_A }));
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("finds the lines that the pieces it is read in cut", async () => {
    const path = file(text);
    const width = text.length / COUNT;
    for (let cut = 64 * 1024; cut < text.length; cut += 64 * 1024 - 1) {
      const first = Math.floor(cut / width) - 2;
      for (let n = first; n < first + 5 && n < COUNT; n += 1)
        expect(good(await readHashMap(path, SPEC)).get(threadAt(n))).toBe(HASH_A);
    }
  });

  it.each([
    ["cut in the middle of a line", text.slice(0, -7)],
    ["cut before the last newline and into the hash", text.slice(0, -5)],
    ["with a line that somebody mangled", text.replace(`${threadAt(7)}: `, "oops ")],
    ["with the wanted line twice", `${text}${middle}: "${HASH_B}"\n`],
    [
      "with the wanted line damaged",
      text.replace(`${middle}: "${HASH_A}`, `${middle}: "${HASH_A.slice(1)}?`),
    ],
  ])("%s is damage even for one who wants one line", async (_, damaged) => {
    const path = file(damaged);
    expect(bad(await readHashMap(path, SPEC)).code).toBe("STORE_DAMAGED");
    expect(bad(await set(path, { key: middle, value: HASH_B })).code).toBe("STORE_DAMAGED");
    expect(readFileSync(path, "utf8")).toBe(damaged);
  });

  it("keeps the comments of a person", async () => {
    const path = file(`# mine\n${text}`);
    good(await set(path, { key: middle, value: HASH_B }));
    expect(readFileSync(path, "utf8").startsWith(`# mine\n${threadAt(0)}`)).toBe(true);
    expect(good(await readHashMap(path, SPEC)).get(middle)).toBe(HASH_B);
  });
});
