import { describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { ATTACKS, strangers } from "../src/strangers.js";

describe("a stranger", () => {
  it("achieves nothing with attacks that once succeeded", { timeout: 300_000 }, async () => {
    const { figures, violations } = await runKind(strangers, 1, { level: "sample" });
    expect(violations).toEqual([]);
    for (const { name } of ATTACKS) expect([name, figures[name]]).toEqual([name, 1]);
  });

  it("who achieves something is reported", async () => {
    const real = ATTACKS.map(({ run }) => run);
    const breached = ATTACKS.map((attack) => Object.assign(attack, { run: async () => "it went through" }));
    try {
      const { violations } = await runKind(strangers, 1, { level: "sample" });
      expect(violations.map(({ promise }) => promise)).toEqual(breached.map(({ promise }) => promise));
    } finally {
      for (const [index, attack] of ATTACKS.entries()) Object.assign(attack, { run: real[index] });
    }
  });
});
