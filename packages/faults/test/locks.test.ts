import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type Kind, runKind } from "../src/frame.js";
import { contest, locks } from "../src/locks/locks.js";

const NAIVE = pathToFileURL(join(import.meta.dirname, "naive-lock.mjs")).href;

describe("stale locks", { timeout: 120_000 }, () => {
  it("are taken over by exactly one process, whatever made them stale", async () => {
    const report = await runKind(locks, 1, { level: "sample" });
    expect(report.violations).toEqual([]);
    expect(report.figures.rounds).toBe(locks.sampleRounds);
    expect(report.figures["rounds of fifty"]).toBeGreaterThanOrEqual(5);
    expect(report.figures["breakers killed while breaking"]).toBeGreaterThan(5);
  });

  it("have two winners with a naive takeover", async () => {
    const kind: Kind = {
      ...locks,
      sampleRounds: 6,
      run: (session) => contest({ session, library: NAIVE }),
    };
    const { violations } = await runKind(kind, 1, { level: "sample" });
    const promises = violations.map(({ promise }) => promise);
    expect(promises).toContain("of all that see a stale lock exactly one takes it");
    expect(promises).toContain("a lock has one holder");
  });
});
