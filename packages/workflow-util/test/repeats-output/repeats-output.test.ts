import { describe, expect, it } from "vitest";
import { repeatsOutput } from "../../src/index.js";

describe("a reply", () => {
  const output = { ok: true, report: "0123456789ABC" };

  it("repeats the output if it is nothing but its fields, as a program gives them before they are stored", () => {
    const said = { ok: true, report: "./report.html", notDeclared: [1, 2] };
    expect(repeatsOutput(JSON.stringify(said, null, 2), output)).toBe(true);
    expect(repeatsOutput(`\n${JSON.stringify(said)}\n`, output)).toBe(true);
  });

  it("does not if it has other words, or lacks a field", () => {
    for (const reply of ['{"ok": true}', '{"ok": true, "report": 1} and words', "[1]", "{", "", "words"])
      expect(repeatsOutput(reply, output)).toBe(false);
    expect(repeatsOutput("{}", "a text")).toBe(false);
  });
});
