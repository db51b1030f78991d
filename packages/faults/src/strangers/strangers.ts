import { join } from "node:path";
import type { Kind } from "../frame/index.js";
import { openWorld, putTurns, RUNTIMES } from "../world/index.js";
import { ATTACKS, type Attack } from "./attacks.js";

export { ATTACKS };

/** Attacks that once went through, tried anew with other numbers, places and runtimes. */
export const strangers: Kind = {
  name: "strangers",
  title:
    "attacks that once went through: roots of others, records that name strangers, threads taken by force, replies that quote success, schemas and files that explode, files of a run replaced, ids that are too short",
  sampleRounds: ATTACKS.length,
  weight: 2,
  goals: { attacks: 200 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      const runtime = session.random.pick(RUNTIMES);
      // Each in turn, so that the sample has them all.
      const attack = ATTACKS[round % ATTACKS.length] as Attack;
      const world = openWorld(join(session.folder, `round-${round}`), runtime);
      await putTurns(world);
      session.count("attacks");
      session.count(attack.name);
      const breach = await attack.run(world, session.random);
      if (breach !== null)
        session.broken(attack.promise, `seed ${session.seed}, round ${round}, ${runtime}: ${breach}`);
    }
  },
};
