import { describe, expect, it } from "vitest";
import { type Figures, interleave, median, type Subject } from "../bench/interleave.js";
import { tableOf, targetsOf } from "../bench/report.js";
import { temporaryDir } from "./support/tree.js";

function figures(name: string, medianMs: number, peakMb: number | null = null): Figures {
  return { name, runs: 3, medianMs, minMs: medianMs - 1, maxMs: medianMs + 1, peakMb };
}

describe("targets", () => {
  const taken = [
    figures("empty process", 5),
    figures("pair floor", 10),
    figures("step, history 10", 44),
    figures("step, history 10000", 45, 81),
  ];
  const targets = targetsOf("bun", taken);

  it("are ratios to what was timed in the same run", () => {
    const measured = Object.fromEntries(targets.map(({ name, measured }) => [name, measured]));
    expect(measured["step ÷ pair floor"]).toBeCloseTo(4.4);
    expect(measured["step at history 10,000 ÷ at 10"]).toBeCloseTo(45 / 44);
    expect(measured["peak memory of uwf, history 10,000"]).toBe(81);
  });

  it("leave out what was not timed", () => {
    expect(targets.map(({ name }) => name)).not.toContain("beside 1,000,000 nodes ÷ beside 100");
  });

  it("are met or missed in the table, which shows an earlier run beside", () => {
    const report = (ms: number) => ({
      date: "2026-01-01",
      machine: "two cores",
      size: "quick" as const,
      runtimes: [{ runtime: "bun" as const, version: "1.4.5", figures: [figures("a step", ms)], targets }],
    });
    const table = tableOf(report(40), report(60));
    expect(table).toContain("| step ÷ pair floor | 4.40 × | ≤ 6 | met |");
    expect(tableOf(report(40), null)).toContain(
      "| peak memory of uwf, history 10,000 | 81.00 MB | ≤ 80 | missed |",
    );
    expect(table).toContain("| a step | 40.0 ms | 39.0 ms | 41.0 ms | 3 |  | 60.0 ms |");
  });
});

describe("timing", () => {
  it("takes the middle of sorted times, or between the two in the middle", () => {
    expect(median([1, 2, 9])).toBe(2);
    expect(median([1, 2, 4, 9])).toBe(3);
  });

  it("runs all subjects in turn, each round beginning with another, prepared each time, and leaves the first round out", async () => {
    const turns: string[] = [];
    const subject = (name: string): Subject => ({
      name,
      command: ["/bin/sh", "-c", "exit 0"],
      env: {},
      cwd: temporaryDir(),
      prepare: () => {
        turns.push(name);
      },
    });
    const [first] = await interleave([subject("a"), subject("b")], 2);
    expect(turns.slice(0, 6)).toEqual(["a", "b", "b", "a", "a", "b"]);
    expect(first).toMatchObject({ name: "a", runs: 2 });
  });

  it("is none of a command that fails, which is said with its last words", async () => {
    const failing: Subject = {
      name: "a step",
      command: ["/bin/sh", "-c", "echo no agent >&2; exit 6"],
      env: {},
      cwd: temporaryDir(),
      prepare: () => {},
    };
    await expect(interleave([failing], 1)).rejects.toThrow("a step ended with 6: no agent");
  });
});
