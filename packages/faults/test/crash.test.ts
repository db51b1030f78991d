import { describe, expect, it } from "vitest";
import { crash, crashWith } from "../src/crash.js";
import { runKind } from "../src/frame.js";
import { tellBeginning } from "../src/story.js";

/** What the kind says about a product with a bug, when it dies at the first place whose name fits. */
async function promisesBroken(plant: string, fits: RegExp): Promise<readonly string[]> {
  const kind = crashWith({
    tell: tellBeginning,
    plant,
    choose: (_session, points) => points.filter(({ name }) => fits.test(name)).slice(0, 1),
  });
  const { violations } = await runKind(kind, 1, { level: "sample" });
  return violations.map(({ promise }) => promise);
}

describe("crash at every point", { timeout: 180_000 }, () => {
  it("is survived, in the fixed sample", async () => {
    const { violations, figures } = await runKind(crash, 1, { level: "sample" });
    expect(violations).toEqual([]);
    const { "kills of uwf": uwf = 0, "kills of both": both = 0 } = figures;
    const { "kills of agent": agent = 0 } = figures;
    expect(uwf + agent + both).toBe(10);
    expect(Math.min(uwf, agent, both)).toBeGreaterThan(0);
    expect(figures["kills of the evaluator"]).toBe(1);
    expect(figures["calls that can be struck"]).toBeGreaterThan(500);
  });

  it("finds a file that is replaced in place", async () => {
    // Between emptying it and writing it.
    const broken = await promisesBroken(
      "in-place",
      /^thread step 1: kill-before .* of uwf \(write threads\.yaml\)/,
    );
    expect(broken).toContain("every command that reads works");
    expect(broken).toContain("no thread is lost");
  });
});
