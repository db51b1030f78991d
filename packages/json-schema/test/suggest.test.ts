import { describe, expect, it } from "vitest";
import { suggest } from "../src/index.js";

describe("suggest", () => {
  it("finds the nearest name, whatever its case", () => {
    expect(suggest("reviwer", ["planner", "reviewer"])).toBe("reviewer");
    expect(suggest("Status", ["status"])).toBe("status");
    expect(suggest("rol", ["role"])).toBe("role");
  });

  it("takes two swapped letters for one mistake", () => {
    expect(suggest("tpye", ["text", "type"])).toBe("type");
    expect(suggest("gaol", ["goal"])).toBe("goal");
    expect(suggest("ba", ["ab"])).toBeNull();
  });

  it("says nothing when no name is near", () => {
    expect(suggest("planner", ["reviewer", "x"])).toBeNull();
    expect(suggest("a", ["b"])).toBeNull();
    expect(suggest("", ["a"])).toBeNull();
  });
});

describe("a suggestion among very many names", () => {
  it("looks at the first 1,000 of them", () => {
    let looked = 0;
    function* names(): Generator<string> {
      for (let at = 0; at < 15_000; at += 1) {
        looked += 1;
        yield `role${at}`;
      }
    }
    expect(suggest("role1z", names())).toBe("role1");
    expect(looked).toBe(1001);
  });
});
