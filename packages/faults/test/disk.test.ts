import { describe, expect, it } from "vitest";
import { disk, diskWith, figureOf } from "../src/disk.js";
import { runKind } from "../src/frame.js";
import { tellBeginning } from "../src/story.js";

/** What the kind says about a product with a bug, at the first fault whose name fits. */
async function promisesBroken(plant: string, fits: RegExp): Promise<readonly string[]> {
  const kind = diskWith({
    tell: tellBeginning,
    plant,
    choose: (_session, blows) => blows.filter(({ name }) => fits.test(name)).slice(0, 1),
  });
  const { violations } = await runKind(kind, 1, { level: "sample" });
  return violations.map(({ promise }) => promise);
}

describe("a failing disk", { timeout: 180_000 }, () => {
  it("is survived, in the fixed sample", async () => {
    const { violations, figures } = await runKind(disk, 1, { level: "sample" });
    expect(violations).toEqual([]);
    const { "of them done all the same": done = 0, "of them an error": refused = 0 } = figures;
    expect(done + refused).toBe(20);
    expect(Math.min(done, refused)).toBeGreaterThan(0);
    expect(figures["calls that can be struck"]).toBeGreaterThan(500);
    for (const act of ["ENOSPC", "EIO", "EACCES", "EMFILE", "short"] as const) {
      expect(figures[figureOf(act)], act).toBeGreaterThan(0);
    }
  });

  it("finds a write that was cut short and not completed", async () => {
    const broken = await promisesBroken("write-once", /^thread step 1: short .*\(write threads\.yaml/);
    expect(broken).toContain("what succeeds is done");
  });

  it("finds an error that is not reported", async () => {
    const broken = await promisesBroken("deaf", /^thread step 1: ENOSPC .*\(rename threads\.yaml/);
    expect(broken).toContain("what succeeds is done");
  });
});
