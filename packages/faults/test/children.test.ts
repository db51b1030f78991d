import { describe, expect, it } from "vitest";
import { children } from "../src/children/children.js";
import { runKind } from "../src/frame.js";

describe("child threads", () => {
  it("exist once, come to their end in order or are killed with their parent, and no reply is paid for twice", async () => {
    const { figures, violations } = await runKind(children, 5, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures).toMatchObject({
      "maps to their end": 1,
      "parents killed twice": 1,
      "single children to their end": 1,
    });
  }, 240_000);
});
