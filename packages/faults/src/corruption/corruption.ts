import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kind, Session } from "../frame.js";
import type { Breach } from "../invariants.js";
import { inProcess, openWorld, RUNTIMES } from "../world.js";
import { judgeAnswer, type Look, lookAt, mayDiffer, touched } from "./answers.js";
import { chooseDamage, type Damage, describe, inflict } from "./damage.js";
import { doDeeds } from "./deeds.js";
import { buildLab, type Lab, restore } from "./lab.js";

/** One round of so many plays on a store whose nodes are packed. */
const PACKED_ONE_IN = 3;

/** Of so many questions about what is not damaged one is put: there are many, and each damage puts others. */
const OTHERS_ONE_IN = 4;

/** One damage; every question, some writing, and a look at what they left. */
async function playRound(session: Session, lab: Lab, round: number): Promise<void> {
  const damage = chooseDamage(lab.whole, session.random);
  const tell = tellerOf(session, round, damage);
  restore(lab.world.root, lab.whole);
  inflict(lab.world.root, damage);
  const look = lookAt(lab, damage);
  tell(await ask(session, look));
  for (const { name, code, breaches } of await doDeeds(look, session.random)) {
    session.count("commands");
    session.count(code === 0 ? `${name} done` : `${name} refused`);
    tell(breaches);
  }
  tell(touched(look));
  session.count("damages");
  session.count(`damages of ${damage.area} files`);
}

function tellerOf({ seed, broken }: Session, round: number, damage: Damage) {
  return (breaches: readonly Breach[]): void => {
    for (const { promise, evidence } of breaches) {
      broken(promise, `seed ${seed}, round ${round}: ${describe(damage)}\n${evidence}`);
    }
  };
}

/** All that can have changed is asked, and of the rest one in some. */
async function ask(session: Session, look: Look): Promise<readonly Breach[]> {
  const found: Breach[] = [];
  for (const question of look.lab.questions) {
    if (!mayDiffer(look, question) && session.random.below(OTHERS_ONE_IN) > 0) continue;
    const got = await look.lab.uwf(question.args);
    session.count("commands");
    if (got.code !== question.answer.code) session.count("errors that named the damage");
    found.push(...judgeAnswer(look, question, got));
  }
  return found;
}

/** Any file of a store damaged in any way: answers stay right or become errors, and nothing is overwritten. */
export const corruption: Kind = {
  name: "corruption",
  title:
    "one file of a store (nodes, packs, index, threads, history, removed ends, registry and its history, children, runs, endings, holds, notes, limits, what was spent, settings, logs, locks) is damaged so that it cannot be taken for an edit (bits, cuts, zeros, what is no UTF-8, nodes deleted and swapped); then every command is asked and compared with what it says of the whole store",
  sampleRounds: 30,
  weight: 4,
  run: async (session) => {
    const build = (name: string, isPacked: boolean): Promise<Lab> => {
      mkdirSync(join(session.folder, name));
      const world = openWorld(join(session.folder, name), RUNTIMES[0]);
      return buildLab(world, inProcess(world), isPacked);
    };
    const [loose, packed] = [await build("loose", false), await build("packed", true)];
    for (let round = 0; session.more(round); round += 1)
      await playRound(session, round % PACKED_ONE_IN === 0 ? packed : loose, round);
  },
};
