import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/logs.js";
import { tempRoot } from "../support/index.js";

function lines(content: string | Buffer, offset = 0) {
  const file = join(tempRoot(), "day.jsonl");
  writeFileSync(file, content);
  const found: unknown[][] = [];
  for (const { bytes, end, whole } of linesOf(file, offset))
    found.push([bytes?.toString() ?? null, end, whole]);
  return found;
}

describe("linesOf", () => {
  it("returns each line with the position of the next one, the last one complete or not", () => {
    expect(lines("a\nbc\n\nd")).toEqual([
      ["a", 2, true],
      ["bc", 5, true],
      ["", 6, true],
      ["d", 7, false],
    ]);
    expect(lines("a\nbc\n", 2)).toEqual([["bc", 5, true]]);
    expect(lines("")).toEqual([]);
  });

  it("puts lines together across chunks", () => {
    const long = "x".repeat(300_000);
    const text = `${long}1\n${long}2\nshort\n${long}3`;
    expect(lines(text).map(([line]) => line)).toStrictEqual([`${long}1`, `${long}2`, "short", `${long}3`]);
  });

  it("passes over a line without an end in constant memory and goes on after it", () => {
    const endless = Buffer.alloc(5_000_000, 0);
    const text = Buffer.concat([Buffer.from("a\n"), endless, Buffer.from("\nb\n")]);
    expect(lines(text).map(([line]) => line)).toEqual(["a", null, "b"]);
  });

  it("treats a missing file as empty and refuses anything but a regular file", () => {
    const dir = tempRoot();
    expect([...linesOf(join(dir, "missing"), 0)]).toEqual([]);
    expect(() => [...linesOf(dir, 0)]).toThrow(/not a regular file/);
  });
});
