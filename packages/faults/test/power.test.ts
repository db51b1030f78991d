import { describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { power, powerWith } from "../src/power/power.js";
import { tellBeginning } from "../src/story.js";

describe("a power cut after every call", { timeout: 120_000 }, () => {
  it("loses nothing that was printed, in the fixed sample", async () => {
    const { violations, figures } = await runKind(power, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["power cuts"]).toBeGreaterThan(200);
    expect(figures["different storage roots"]).toBeGreaterThan(200);
    expect(figures["storage roots looked at"]).toBe(80);
    expect(figures["of them gone on with to the end"]).toBe(4);
  });

  it("finds that nothing is synced", async () => {
    const kind = powerWith({ tell: tellBeginning, plant: "no-fsync", mixtures: 1 });
    const { violations } = await runKind(kind, 1, { level: "sample" });
    expect(violations.map(({ promise }) => promise)).toContain("what is damaged is repaired or collected");
  });
});
