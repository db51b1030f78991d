import { runOnce } from "./run.js";
import type { Figures, Run, Subject } from "./types.js";

/**
 * Times all subjects in turn, again and again: whatever else the machine does hits all of them alike. Every round begins
 * with another one: who always came behind the same other would always find the caches as that left them. The first
 * round warms up and does not count. Memory is looked at in rounds of its own, since looking takes time.
 */
export async function interleave(subjects: readonly Subject[], rounds: number): Promise<readonly Figures[]> {
  const timed = new Map<string, Run[]>(subjects.map(({ name }) => [name, []]));
  const watched = new Map<string, Run[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const subject of rotated(subjects, round)) {
      await subject.prepare();
      const run = await runOnce(subject, false);
      if (round > 0) timed.get(subject.name)?.push(run);
    }
  }
  for (let round = 0; round < MEMORY_ROUNDS; round += 1) {
    for (const subject of subjects) {
      await subject.prepare();
      watched.get(subject.name)?.push(await runOnce(subject, true));
    }
  }
  return subjects.map(({ name }) => figuresOf(name, timed.get(name) ?? [], watched.get(name) ?? []));
}

const MEMORY_ROUNDS = 3;

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const first = by % Math.max(list.length, 1);
  return [...list.slice(first), ...list.slice(0, first)];
}

function figuresOf(name: string, timed: readonly Run[], watched: readonly Run[]): Figures {
  const times = timed.map(({ ms }) => ms).sort((a, b) => a - b);
  const peaks = watched.flatMap(({ peakMb }) => (peakMb === null ? [] : [peakMb]));
  return {
    name,
    runs: times.length,
    medianMs: median(times),
    minMs: times[0] ?? 0,
    maxMs: times.at(-1) ?? 0,
    peakMb: peaks.length === 0 ? null : Math.max(...peaks),
  };
}

/** Of sorted numbers. */
export function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}
