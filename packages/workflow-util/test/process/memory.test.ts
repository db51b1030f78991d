import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLines, createTail } from "../../src/process/output.js";

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 });

describe("the tail of a stream", () => {
  it("is its last bytes, however they arrive", () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 0, max: 100 }), (parts, limit) => {
        const ascii = parts.map((part) => part.map((byte) => byte & 0x7f));
        const tail = createTail(limit);
        for (const part of ascii) tail.push(part);
        const whole = Buffer.concat(ascii);
        expect(tail.text()).toBe(whole.subarray(Math.max(0, whole.length - limit)).toString("utf8"));
      }),
    );
  });

  it("does not begin inside a character", () => {
    const tail = createTail(10);
    tail.push(Buffer.from(`${"🙂".repeat(5)}end`));
    expect(tail.text()).toBe("🙂end");
  });

  it("is complete if it fits, a byte order mark and bad bytes included", () => {
    const tail = createTail(10);
    tail.push(Uint8Array.from([0x80, 0xef, 0xbb, 0xbf, 0x61]));
    expect(tail.text()).toBe("\ufffd\ufeffa");
  });
});

describe("the lines of a stream", () => {
  it("are the same however the bytes arrive", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.integer({ min: 1, max: 7 }), (texts, size) => {
        const lines = texts.map((text) => text.replaceAll(/[\r\n]/g, ""));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const seen: string[] = [];
        const splitter = createLines(1_000_000, (line) => seen.push(line));
        for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
        splitter.finish();
        expect(seen).toEqual(bytes.toString("utf8").split("\n").slice(0, -1));
      }),
    );
  });

  it("tell whether they are UTF-8, however the bytes arrive", () => {
    const bytes = Buffer.from("caf\u00e9\n\u{1f600}\n");
    const cut = Buffer.from([...bytes, 0xc3, 0x0a]);
    for (const size of [1, 2, 3, 100])
      for (const [all, is] of [
        [bytes, true],
        [cut, false],
      ] as const) {
        const splitter = createLines(100, () => {});
        for (let at = 0; at < all.length; at += size) splitter.push(all.subarray(at, at + size));
        splitter.finish();
        expect(splitter.isUtf8()).toBe(is);
      }
  });

  it("keep their beginning when they are too long", () => {
    const seen: string[] = [];
    const splitter = createLines(4, (line) => seen.push(line));
    splitter.push(Buffer.from("123456789\nab\r\n12"));
    splitter.push(Buffer.from("3456"));
    splitter.finish();
    expect(seen).toEqual(["1234", "ab", "1234"]);
  });
});
