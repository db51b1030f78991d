import { describe, expect, it } from "vitest";
import { checkKeys, createFindings } from "../../src/shape.js";

const RULES = { required: ["goal", "output"], optional: ["agent"], unknown: "warning" } as const;

function found(map: Record<string, string>) {
  const findings = createFindings(() => ({ line: 1, column: 1 }));
  checkKeys(findings, "/roles/a", map, RULES);
  return findings.all().map(({ severity, message, suggestion }) => [severity, message, suggestion]);
}

describe("the keys of a map", () => {
  it("are right with what is required and what may be", () => {
    expect(found({ goal: "g", output: "o", agent: "a" })).toEqual([]);
  });

  it("have a strange one for the one that is missing, whatever it is called", () => {
    expect(found({ goal: "g", zzz: "o" })).toEqual([
      ["error", 'unknown key "zzz", and "output" is missing', "output"],
    ]);
  });

  it("have strange ones beside missing ones where nothing tells which was meant", () => {
    const known = "known keys: goal, output, agent";
    expect(found({ goal: "g", zzz: "o", yyy: "o" })).toEqual([
      ["warning", `unknown key "zzz"; ${known}`, null],
      ["warning", `unknown key "yyy"; ${known}`, null],
      ["error", 'missing key "output" in a', null],
    ]);
    expect(found({ zzz: "o" })).toEqual([
      ["warning", `unknown key "zzz"; ${known}`, null],
      ["error", 'missing key "goal" in a', null],
      ["error", 'missing key "output" in a', null],
    ]);
  });

  it("have a misspelt one for a missing one, and for a known one", () => {
    expect(found({ gaol: "g", outptu: "o" })).toEqual([
      ["error", 'unknown key "gaol"', "goal"],
      ["error", 'unknown key "outptu"', "output"],
    ]);
    expect(found({ goal: "g", output: "o", agnet: "a" })).toEqual([
      ["warning", 'unknown key "agnet"', "agent"],
    ]);
  });
});
