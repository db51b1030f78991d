import type { Figures } from "./measure/index.js";
import type { RuntimeName } from "./runtimes.js";
import type { Disk } from "./stores/index.js";

/** One line of the table of targets. */
export type Target = {
  readonly name: string;
  readonly unit: "×" | "MB" | "KB" | "files" | "s" | "ms over an empty process";
  /** What is measured; `null` when a figure that it needs was not taken. */
  readonly measured: number | null;
  /** It should not be more; `null` where nothing was promised. */
  readonly limit: number | null;
};

type Limits = Readonly<Partial<Record<RuntimeName, number>>>;

/** The targets of one runtime, from the figures by name. The limits stand in the project's speed design. */
export function targetsOf(
  runtime: RuntimeName,
  figures: ReadonlyMap<string, Figures>,
  disk: Disk | null,
): readonly Target[] {
  const ms = (name: string): number | null => figures.get(name)?.medianMs ?? null;
  const mb = (name: string): number | null => figures.get(name)?.peakMb ?? null;
  const row = (name: string, unit: Target["unit"], measured: number | null, limits: Limits): Target => ({
    name,
    unit,
    measured,
    limit: limits[runtime] ?? null,
  });
  const step = ms("step, history 10");
  const beside = ms("step, beside large stores");
  return [
    row("step ÷ pair floor", "×", ratio(step, ms("pair floor")), {
      bun: 4.2,
      "node 20": 2.2,
      "node 24": 2,
    }),
    row("step at history 10,000 ÷ at 10", "×", ratio(ms("step, history 10000"), step), all(1.1)),
    row(
      "the same, condition over the whole history",
      "×",
      ratio(ms("step, history 10000, whole"), ms("step, history 10, whole")),
      { bun: 4, "node 24": 2.5 },
    ),
    row(
      "the same, answered by JSONata",
      "×",
      ratio(ms("step, history 10000, JSONata"), ms("step, history 10, JSONata")),
      {},
    ),
    row(
      "with 10,000 active threads and 100,000 ended ÷ with 10",
      "×",
      ratio(ms("step, 10000 threads, 100000 ended"), beside),
      { bun: 1.5 },
    ),
    row("with 100,000 active threads ÷ with 10", "×", ratio(ms("step, 100000 threads"), beside), {}),
    row("with 1,000,000 nodes ÷ with 100", "×", ratio(ms("step, 1000000 nodes"), beside), { bun: 1.1 }),
    row(
      "a thread that waits ÷ one that has ended",
      "×",
      ratio(ms("step, one of 1000 that wait"), ms("step, ended")),
      all(1.2),
    ),
    row(
      "a map with jobs: 2 ÷ jobs: 1",
      "×",
      ratio(ms("map of 8 items, jobs: 2"), ms("map of 8 items, jobs: 1")),
      {},
    ),
    row("peak memory of uwf, history 10,000", "MB", mb("step, history 10000"), { bun: 50, "node 20": 80 }),
    row("uwf --help", "ms over an empty process", difference(ms("uwf --help"), ms("empty process")), all(30)),
    row(
      "completion",
      "ms over an empty process",
      difference(ms("uwf __complete"), ms("empty process")),
      all(30),
    ),
    row("cas verify, 100,000 nodes", "s", seconds(ms("cas verify, 100000 nodes")), all(20)),
    row("cas gc, 100,000 nodes", "s", seconds(ms("cas gc, 100000 nodes")), all(30)),
    row("disk per step, packed", "KB", disk?.kbPerStep ?? null, all(1.5)),
    row("files per step, packed", "files", disk?.filesPerStep ?? null, all(0.05)),
    row(
      "step in a packed store ÷ in one that is not",
      "×",
      ratio(ms("step, packed"), ms("step, unpacked")),
      all(1.05),
    ),
    row("a step of 50 turns ÷ one of none", "×", ratio(ms("step, 50 turns"), ms("step, no turns")), all(1.3)),
    row("files of a step of 50 turns", "files", disk?.traceFiles ?? null, all(3)),
    row("disk ÷ content of a step of 50 turns", "×", disk?.traceRatio ?? null, all(1.2)),
    row("cas import, 30,000 nodes", "s", seconds(ms("cas import, 30000 nodes")), all(1)),
    ...["verify", "du", "gc"].map((verb) =>
      row(`cas ${verb}, 300,000 packed nodes`, "s", seconds(ms(`cas ${verb}, 300000 packed nodes`)), all(2)),
    ),
    row(
      "cas du ÷ cas verify, packed",
      "×",
      ratio(ms("cas du, 300000 packed nodes"), ms("cas verify, 300000 packed nodes")) ??
        ratio(ms("cas du, 30000 packed nodes"), ms("cas verify, 30000 packed nodes")),
      all(0.5),
    ),
    row(
      "export of a thread among 100 times the nodes ÷ among 100",
      "×",
      ratio(ms("export of a thread, 100 times the nodes"), ms("export of a thread, 100 nodes")),
      all(1.05),
    ),
  ].filter(({ measured }) => measured !== null);
}

function all(limit: number): Limits {
  return { bun: limit, "node 20": limit, "node 24": limit };
}

function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null || b === 0 ? null : a / b;
}

function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
