import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Kind, Session } from "../frame.js";
import { shuffled } from "../inject/index.js";
import { mapRound } from "./map.js";
import { callsOfStep, killRound, oneRound, openOne } from "./one.js";
import type { Plan } from "./tree.js";

/** How many items maps have: mostly few, in a full run once the most there may be. */
function planOf({ level, random }: Session, index: number): Plan {
  const items = level === "full" && index === 0 ? 100 : 1 + random.below(6);
  const failing = Array.from({ length: items }, (_, at) => at).filter(() => random.below(4) === 0);
  return { items, jobs: 1 + random.below(3), failing };
}

/** Of six rounds one is a map, one is a kill of a parent, and the others are the next calls of a single child. */
export const children: Kind = {
  name: "children",
  title:
    "a parent whose step is a child thread, or a map over many: uwf, uwf-workflow, the child's uwf or its agent is killed at any change of the file system, agents fail, limits are reached; then the parent is stepped to its end, or killed, and the kill killed and given again",
  sampleRounds: 3,
  weight: 5,
  goals: { "maps to their end": 10, "single children to their end": 40, "parents killed twice": 10 },
  run: async (session) => {
    const { level, random, count } = session;
    const one = await openOne(join(session.folder, "one"));
    const calls = await callsOfStep(one, join(session.folder, "count"));
    count("places to die at", calls);
    const points = shuffled(
      random,
      Array.from({ length: calls }, (_, at) => at + 1),
    );
    let next = 0;
    for (let index = 0; session.more(index); index += 1) {
      const folder = join(session.folder, `round-${index}`);
      const kind = level === "sample" ? index : index % 6;
      if (kind === 0) await mapRound(session, folder, planOf(session, index));
      else if (kind === 1) await killRound(session, one, folder, calls);
      else await oneRound(session, one, folder, points[next++ % points.length] ?? 1);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
