import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kind, Random, Session } from "../frame.js";
import type { Breach } from "../invariants.js";
import { inProcess, openWorld, RUNTIMES } from "../world.js";
import { affectedBy, judgeAnswer, type Look, mayDiffer, touched } from "./answers.js";
import { chooseDamage, describe, inflict, lookalikeOf } from "./damage.js";
import { doDeeds } from "./deeds.js";
import { buildLab, type Damage, type Lab, restore } from "./lab.js";

/** One round of so many plays on a store whose nodes are packed. */
const PACKED_ONE_IN = 3;

/** In one round of so many some questions are put to the real binaries too. */
const BINARIES_ONE_IN = 20;

/** Of so many questions about what is not damaged one is put: there are many, and each damage puts others. */
const OTHERS_ONE_IN = 4;

/** One damage; every question, some writing, and a look at what they left. */
async function playRound(session: Session, lab: Lab, round: number): Promise<void> {
  const damage = chooseDamage(lab.whole, session.random);
  const tell = tellerOf(session, round, damage);
  restore(lab.world.root, lab.whole);
  inflict(lab.world.root, damage);
  const lookalike = lookalikeOf(lab.whole, damage);
  const look = { lab, damage, lookalike, affected: affectedBy(lab, damage, lookalike) };
  tell(await ask(session, look));
  if (round % BINARIES_ONE_IN === 0) tell(await askBinaries(session, look));
  for (const { name, code, breaches } of await doDeeds(look, session.random)) {
    session.count("commands");
    session.count(code === 0 ? `${name} done` : `${name} refused`);
    tell(breaches);
  }
  tell(touched(look));
  session.count("damages");
  session.count(`damages of ${damage.area} files`);
  if (lookalike !== null) session.count("damages that nobody could tell");
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

/** The binaries must say, word for word, what the program in this process says. */
async function askBinaries(session: Session, { lab }: Look): Promise<readonly Breach[]> {
  const found: Breach[] = [];
  for (const runtime of RUNTIMES) {
    const { args } = questionOf(lab, session.random);
    const [here, there] = [await lab.uwf(args), await lab.world.uwf(args, { runtime })];
    session.count("commands");
    session.count("answers of real binaries compared");
    if (here.code === there.code && here.stdout === there.stdout && here.stderr === there.stderr) continue;
    const evidence = `uwf ${args.join(" ")} (${runtime}): ${JSON.stringify(there)}\nin process: ${JSON.stringify(here)}`;
    found.push({ promise: "binary and library answer alike", evidence });
  }
  return found;
}

function questionOf({ questions }: Lab, random: Random): Lab["questions"][number] {
  const question = questions[random.below(questions.length)];
  if (question === undefined) throw new Error("a lab without questions");
  return question;
}

/** Any file of a store damaged in any way: answers stay right or become errors, and nothing is overwritten. */
export const corruption: Kind = {
  name: "corruption",
  title:
    "one file of a store (nodes, packs, index, threads, history, removed ends, registry and its history, children, runs, endings, holds, notes, limits, what was spent, settings, logs, locks) is flipped, truncated, deleted, swapped or zeroed; then every command is asked and compared with what it says of the whole store",
  sampleRounds: 30,
  weight: 4,
  goals: { damages: 1000, commands: 40_000 },
  run: async (session) => {
    const folder = join(session.folder, "world");
    mkdirSync(folder);
    const world = openWorld(folder, RUNTIMES[0]);
    const loose = await buildLab(world, inProcess(world), false);
    const packedFolder = join(session.folder, "packed");
    mkdirSync(packedFolder);
    const packedWorld = openWorld(packedFolder, RUNTIMES[0]);
    const packed = await buildLab(packedWorld, inProcess(packedWorld), true);
    for (let round = 0; session.more(round); round += 1)
      await playRound(session, round % PACKED_ONE_IN === 0 ? packed : loose, round);
  },
};
