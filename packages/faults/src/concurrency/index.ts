import type { Kind } from "../frame/index.js";
import { playRound, type Traffic } from "./round.js";

/** From two processes, which meet in every way that two can, to more than any machine that we know runs. */
const WIDTHS = [2, 8, 32, 4, 16] as const;

const FULL = { operations: 400, killOneIn: 12 };
const SAMPLE = { operations: 50, killOneIn: 8 };

/** Many processes on one storage root, some of them killed; then the invariants of the whole store. */
export const concurrency: Kind = {
  name: "concurrency",
  title:
    "2 to 32 processes at once start, step, fork, kill, put, list, read and collect on one storage root, some are killed; then every chain, head, run and answer is checked",
  sampleRounds: 2,
  weight: 6,
  goals: { operations: 10_000, rounds: 20, "killed with SIGKILL": 300 },
  run: async (session) => {
    const extent = session.level === "sample" ? SAMPLE : FULL;
    for (let round = 0; session.more(round); round += 1) {
      const width = session.level === "sample" ? [2, 12][round % 2] : WIDTHS[round % WIDTHS.length];
      const traffic: Traffic = { ...extent, width: width ?? 2 };
      await playRound(session, round, traffic);
    }
  },
};
