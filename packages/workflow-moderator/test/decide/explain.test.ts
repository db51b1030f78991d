import { describe, expect, it } from "vitest";
import { explain } from "../../src/decide.js";
import { history, stored, to } from "../support/index.js";

const CONDITIONS = { no: "false", yes: "true", number: "1 + 1", broken: "1 + 'x'" };

describe("explain", () => {
  it("evaluates every transition of the node, even after the match", async () => {
    const graph = { a: to(["a", "no"], ["$END", "yes"], ["a", "number"], ["a", "broken"], ["a", null]) };
    const explained = await explain(stored(["a"], CONDITIONS, graph), history(["a", {}]));
    expect(explained).toMatchObject({
      decision: { ok: true, value: { kind: "end" } },
      transitions: [
        { role: "a", condition: "no", expression: "false", value: false, error: null },
        { role: "$END", condition: "yes", expression: "true", value: true, error: null },
        {
          role: "a",
          condition: "number",
          expression: "1 + 1",
          value: 2,
          error: expect.stringContaining("gave 2"),
        },
        {
          role: "a",
          condition: "broken",
          expression: "1 + 'x'",
          value: null,
          error: expect.stringContaining("failed"),
        },
        { role: "a", condition: null, expression: null, value: true, error: null },
      ],
    });
  });

  it("gives the fault of a failed decision and still every transition", async () => {
    const graph = { a: to(["a", "no"], ["a", "broken"], ["b", "yes"], ["a", "gone"]) };
    const explained = await explain(stored(["a"], CONDITIONS, graph), history(["a", {}]));
    expect(explained).toMatchObject({
      decision: { ok: false, error: { code: "CONDITION_FAILED" } },
      transitions: [
        { value: false, error: null },
        { value: null, error: expect.stringContaining("failed") },
        { value: true, error: expect.stringContaining("has no role b") },
        { value: null, error: expect.stringContaining("has no condition gone") },
      ],
    });
  });
});
