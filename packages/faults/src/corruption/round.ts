import type { Random, Session } from "../frame/index.js";
import type { Breach } from "../invariants/index.js";
import { RUNTIMES } from "../world/index.js";
import { affectedBy } from "./affected.js";
import { judgeAnswer, type Look, mayDiffer } from "./answers.js";
import { chooseDamage, describe, inflict } from "./damage.js";
import { doDeeds } from "./deeds.js";
import { lookalikeOf } from "./lookalike.js";
import { restore } from "./snapshot.js";
import type { Damage, Lab } from "./types.js";
import { touched } from "./untouched.js";

/** In one round of so many some questions are put to the real binaries too. */
const BINARIES_ONE_IN = 20;

/** Of so many questions about what is not damaged one is put: there are many, and each damage puts others. */
const OTHERS_ONE_IN = 4;

/** One damage; every question, some writing, and a look at what they left. */
export async function playRound(session: Session, lab: Lab, round: number): Promise<void> {
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
