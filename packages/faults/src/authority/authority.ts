import { cpSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { openStorage, TYPE } from "@uncaged/workflow-store";
import type { Kind, Session } from "../frame.js";
import { type Choice, chooseDeeds, doAll, everythingAt } from "./deeds.js";
import { absolute, breachesIn, type Facts, factsOf } from "./facts.js";
import { type Bundle, forge, readBundle, writeBundle } from "./forge.js";
import { buildStage, OWNER, restoreStage, STRANGER, type Stage } from "./stage.js";
import { idsAgainst, textsAgainst } from "./texts.js";

/** The owner's stage, a copy of it, and what an export of a stranger has in it. */
type Theatre = {
  readonly stage: Stage;
  readonly copy: string;
  readonly bundle: Bundle;
  readonly hashes: readonly Hash[];
};

/** Both build in one folder: the stranger knows the owner's paths. */
async function open(folder: string): Promise<Theatre> {
  const place = join(folder, "stage");
  const stranger = await buildStage(place, STRANGER);
  const file = join(folder, "unchanged.export");
  const args = ["cas", "export", ...Object.values(stranger.threads), "-o", file];
  await stranger.world.json(args, { env: stranger.env });
  renameSync(place, join(folder, "stranger"));
  const stage = await buildStage(place, OWNER);
  const copy = join(folder, "copy");
  cpSync(place, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const hashes = openStorage(stage.world.root, { now: Date.now }).cas.list();
  return { stage, copy, bundle: readBundle(file), hashes };
}

type Play = (bundle: Bundle, choice: Choice) => Promise<Facts>;

/** An export on the root as it was. */
function playerOn({ stage, copy, hashes }: Theatre): Play {
  let isFresh = false;
  return async (bundle, choice) => {
    if (!isFresh) restoreStage(stage, copy);
    const file = join(copy, "../changed.export");
    writeBundle(file, bundle);
    const deeds = await doAll(stage, file, choice);
    // A refused one has changed nothing: that is looked at.
    isFresh = deeds.length === 1;
    return factsOf(stage, hashes, deeds);
  };
}

/** The unchanged export, once for each choice that the owner's threads depend on. */
function unchanged(session: Session, play: Play, bundle: Bundle): (isDeep: boolean) => Promise<Facts> {
  const known = new Map<boolean, Facts>();
  return async (isDeep) => {
    const there = known.get(isDeep);
    if (there !== undefined) return there;
    const facts = await play(bundle, everythingAt(isDeep));
    if (facts.deeds[0]?.ran.code !== 0) throw new Error("the unchanged export is not imported");
    for (const { promise, evidence } of facts.deeds.flatMap(absolute))
      session.broken(promise, `the unchanged export: ${evidence}`);
    known.set(isDeep, facts);
    return facts;
  };
}

async function playAll(session: Session): Promise<void> {
  const { random, count, seed } = session;
  const theatre = await open(session.folder);
  const { stage, copy, bundle, hashes } = theatre;
  const { heads, threads } = stage;
  const parents = (["ship", "fresh"] as const).map((name) => ({ thread: threads[name], head: heads[name] }));
  const types = [META_SCHEMA_HASH, ...Object.values(TYPE)];
  const against = {
    texts: textsAgainst(stage),
    ids: idsAgainst(stage),
    parents,
    hashes: [...hashes, ...types],
  };
  restoreStage(stage, copy);
  const before = await factsOf(stage, hashes, []);
  const play = playerOn(theatre);
  const plainAt = unchanged(session, play, bundle);
  for (let round = 0; session.more(round); round += 1) {
    const forgery = forge(bundle, against, random);
    const choice = chooseDeeds(session, forgery.how === "thread");
    const plain = await plainAt(choice.isDeep);
    const changed = await play(forgery.bundle, choice);
    const isTaken = changed.deeds.length > 1;
    count("exports");
    count(isTaken ? "exports taken" : "exports refused");
    count("commands", changed.deeds.length);
    count(
      "starts",
      changed.deeds.reduce((sum, { starts }) => sum + starts.length, 0),
    );
    count(`with ${forgery.how} changed`);
    for (const { promise, evidence } of breachesIn(stage, before.lines, isTaken ? plain : before, changed))
      session.broken(promise, `seed ${seed}, round ${round}: ${forgery.words}\n${evidence}`);
  }
}

export const authority: Kind = {
  name: "authority",
  title:
    "a stranger's export in which one text, many, or all of a node are options, paths, keys and names of the owner, references lead elsewhere, threads have the ids of the owner's, or other bytes have the hashes of his nodes; then every command, compared with the unchanged export",
  sampleRounds: 12,
  weight: 6,
  run: playAll,
};
