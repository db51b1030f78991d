import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Kind, Session } from "../frame.js";
import { heldRound } from "./held.js";
import { ticksRound } from "./ticks.js";

/** In a full run first the numbers that were promised, then small crowds. */
function sizesOf({ level, random }: Session, index: number) {
  if (level === "sample") return { held: 12, crowd: 4 };
  return index === 0 ? { held: 1000, crowd: 200 } : { held: 0, crowd: 8 + random.below(25) };
}

/** Threads that wait, and the one line of cron that takes care of all. */
export const cron: Kind = {
  name: "cron",
  title:
    "threads that wait for people, for what agents ask and for one another are stepped in a loop, beside an ended one; one line of cron (`thread run --all --jobs`) is called again and again, and killed at times, over threads with people and children, while people answer",
  sampleRounds: 1,
  weight: 4,
  goals: { "answers of threads that wait": 1000, "threads that cron has taken to their end": 200 },
  run: async (session) => {
    for (let index = 0; session.more(index); index += 1) {
      const { held, crowd } = sizesOf(session, index);
      const [first, second] = [`held-${index}`, `cron-${index}`].map((name) =>
        join(session.folder, name),
      ) as [string, string];
      if (held > 0) await heldRound(session, first, held);
      await ticksRound(session, second, crowd);
      for (const folder of [first, second]) rmSync(folder, { recursive: true, force: true });
    }
  },
};
