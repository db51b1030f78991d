import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendLine } from "../../src/index.js";
import { errnoError, withFsCalls } from "../support/fs-calls.js";
import { temporaryDir } from "../support/temp.js";

describe("appendLine", () => {
  it("creates the file and appends line by line", () => {
    const file = join(temporaryDir(), "history.jsonl");
    appendLine(file, "one");
    appendLine(file, "zwei ü");
    expect(readFileSync(file, "utf8")).toBe("one\nzwei ü\n");
  });

  it("makes a file that is its owner's alone, whatever the umask is", () => {
    const file = join(temporaryDir(), "history.jsonl");
    const before = process.umask(0);
    try {
      appendLine(file, "one");
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("follows no link", () => {
    const [file, outside] = [join(temporaryDir(), "history.jsonl"), join(temporaryDir(), "outside")];
    symlinkSync(outside, file);
    expect(() => appendLine(file, "one")).toThrow("cannot append to");
    expect(existsSync(outside)).toBe(false);
  });

  it("cuts an unterminated last line off before it writes", () => {
    const file = join(temporaryDir(), "history.jsonl");
    writeFileSync(file, 'one\n{"torn');
    appendLine(file, "two");
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it("cuts a file that is nothing but a torn line", () => {
    const file = join(temporaryDir(), "history.jsonl");
    writeFileSync(file, "x".repeat(10_000));
    appendLine(file, "two");
    expect(readFileSync(file, "utf8")).toBe("two\n");
  });

  it("finds the last newline far from the end", () => {
    const file = join(temporaryDir(), "history.jsonl");
    writeFileSync(file, `one\n${"x".repeat(9_000)}`);
    appendLine(file, "two");
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  it("is durable when it returns: the line is synced, and the folder of a new file", async () => {
    const dir = temporaryDir();
    const calls = await withFsCalls(() => appendLine(join(dir, "a"), "one"));
    expect(calls.filter((call) => call.name === "fsyncSync").map((call) => call.path)).toEqual([
      join(dir, "a"),
      dir,
    ]);
  });

  it.each(["writeSync", "fsyncSync"])("leaves the file as it was when %s fails", async (name) => {
    const file = join(temporaryDir(), "a");
    writeFileSync(file, "one\n");
    await withFsCalls(
      () => expect(() => appendLine(file, "two")).toThrowError(`cannot append to ${file}`),
      (call) => {
        if (call.name === name) throw errnoError("ENOSPC", name);
      },
    );
    expect(readFileSync(file, "utf8")).toBe("one\n");
  });
});
