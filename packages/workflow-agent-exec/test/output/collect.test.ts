import { describe, expect, it } from "vitest";
import { createCollector, plainLine, plainText } from "../../src/command.js";

describe("a line of output", () => {
  it("is kept as finally shown: no colours, no control characters, the last state of a progress bar", () => {
    expect(plainLine("\u001b[31mred\u001b[0m\u0007 and\tplain")).toBe("red and\tplain");
    expect(plainLine("10%\r50%\r100%\r")).toBe("100%");
  });
});

describe("the collected output", () => {
  it("is whole while it fits", () => {
    const collector = createCollector(100);
    for (const line of ["a", "", "b"]) collector.push(line);
    expect(collector.tail(100)).toBe("a\n\nb\n");
  });

  it("is its end if it does not, never cut inside a character, with a note", () => {
    const collector = createCollector(10);
    for (let line = 0; line < 50; line += 1) collector.push(`é${line}`);
    expect(collector.tail(8)).toBe("[earlier output left out]\né49\n");
    expect(collector.tail(9)).toBe("[earlier output left out]\né49\n");
    expect(collector.tail(10)).toBe("[earlier output left out]\né48\né49\n");
  });

  it("does not begin within a word, which may be a part of a key", () => {
    const key = "sk-live-abcdefghijklmnop0123456789";
    for (const limit of [10, 20, 35, 50, 100]) {
      const collector = createCollector(1000);
      collector.push(`${"A".repeat(300)} ${"B".repeat(50)}${key}${"C".repeat(20)} the end`);
      const told = collector.tail(limit);
      expect([limit, /[a-z0-9-]{6}/.test(told.replace("[earlier output left out]", ""))]).toEqual([
        limit,
        false,
      ]);
    }
    const long = createCollector(20_000);
    long.push(`${"A".repeat(30_000)}${key}${"B".repeat(16_350)}`);
    long.push("the end");
    expect(long.tail(16_384)).not.toContain("live");
  });
});

describe("a whole text", () => {
  it("is made plain line by line, in any chunks", () => {
    const text = "10%\r99%\n\u001b[31mred\u001b[0m\n\n".repeat(20_000);
    expect(plainText(text)).toBe("99%\nred\n\n".repeat(20_000));
    expect(plainText("no newline\u0007")).toBe("no newline");
  });
});
