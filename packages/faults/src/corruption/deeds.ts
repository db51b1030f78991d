import { join } from "node:path";
import { openStorage, readChain } from "@uncaged/workflow-store";
import type { Random } from "../frame.js";
import type { Breach } from "../invariants.js";
import { readLedger } from "../invariants.js";
import type { Ran } from "../world.js";
import { hashOf, isAskedFor, type Look, names } from "./answers.js";
import type { Subject } from "./lab.js";

// Commands that write, on a damaged store: they do what they do on a whole one, or refuse and name the damage.

const INVALID = 4;
const AGENT_FAILED = 6;
const STORE_DAMAGED = 7;
const NOT_FOUND = 3;
const ENDED = 8;
const HELD = 9;
const BUSY = 75;

export type Done = {
  readonly name: string;
  readonly code: number | null;
  readonly breaches: readonly Breach[];
};

type Deed = { readonly name: string; readonly args: readonly string[]; readonly isAffected: boolean };

/** Starts, puts, forks; then steps or kills one of the threads. */
export async function doDeeds(look: Look, random: Random): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const deed of plainDeeds(look)) done.push(await doOne(look, deed));
  const active = look.lab.subjects.filter(({ name }) => ACTIVE.has(name));
  const affected = active.filter(({ thread }) => look.affected.all || look.affected.threads.has(thread));
  const from = affected.length > 0 && random.below(3) > 0 ? affected : active;
  // A step is two processes at least, and takes longer than all the rest.
  if (random.below(from === affected ? 2 : 4) > 0) return done;
  const subject = from[random.below(from.length)];
  if (subject === undefined) return done;
  done.push(random.below(5) === 0 ? await kill(look, subject) : await step(look, subject));
  return done;
}

const ACTIVE: ReadonlySet<string> = new Set([
  "two",
  "one",
  "fresh",
  "failed",
  "fork",
  "left",
  "limited",
  "parent",
  "child",
]);

function plainDeeds({ lab, affected }: Look): readonly Deed[] {
  const one = lab.subjects.find(({ name }) => name === "one");
  const isNamed = affected.all || affected.types || affected.names.size > 0;
  return [
    { name: "start", args: ["thread", "start", "turns", "-p", "A task"], isAffected: isNamed },
    { name: "put", args: ["workflow", "put", join(lab.world.cwd, "other.yaml")], isAffected: isNamed },
    {
      name: "fork",
      args: ["thread", "fork", one?.head ?? ""],
      isAffected: affected.all || affected.threads.has(one?.thread ?? ""),
    },
  ];
}

async function doOne(look: Look, { name, args, isAffected }: Deed): Promise<Done> {
  const ran = await look.lab.uwf(args);
  return { name, code: ran.code, breaches: refusal(look, args, ran, { isAffected, codes: [] }) };
}

type Expected = { readonly isAffected: boolean /** Beyond 0 and 7. */; readonly codes: readonly number[] };

function refusal(
  look: Look,
  args: readonly string[],
  ran: Ran,
  { isAffected, codes }: Expected,
): readonly Breach[] {
  const line = `uwf ${args.join(" ")} ended with ${ran.code ?? ran.signal}\n${ran.stdout}${ran.stderr}`;
  const breach = (promise: string): readonly Breach[] => [{ promise, evidence: line }];
  if (ran.code === 1) return breach("damage is an error with a code, never a bug");
  if (ran.code === 0 || (ran.code !== null && codes.includes(ran.code))) return [];
  if (!isAffected) return breach("what is not damaged works as before");
  if (look.lookalike !== null && [NOT_FOUND, STORE_DAMAGED, ENDED].includes(ran.code ?? 0)) return [];
  if (ran.code === NOT_FOUND && isAskedFor(look.damage, args)) return [];
  if (namesAnotherFolder(look, ran) || namesAnotherBoot(look, ran)) return [];
  if (ran.code !== STORE_DAMAGED && ran.code !== AGENT_FAILED) return breach("damage is exit 7");
  return names(look, ran.stderr) ? [] : breach("what is damaged is named");
}

/** A thread's folder whose name is another one now, and still a name: it is said which one is missing. */
function namesAnotherFolder({ damage }: Look, { code, stderr }: Ran): boolean {
  return (
    code === 4 &&
    damage.files.every((file) => /^runs\/\w+\/cwd\.json$/.test(file)) &&
    stderr.includes("error[FOLDER_UNUSABLE]")
  );
}

/** A run whose record names another boot or machine now: whether its agent still runs cannot be checked from here. */
function namesAnotherBoot({ damage }: Look, { code, stderr }: Ran): boolean {
  return (
    code === BUSY &&
    damage.files.every((file) => /^runs\/\w+\/\w+\/run\.json$/.test(file)) &&
    stderr.includes("cannot be checked from here")
  );
}

/** What starts or ends processes asks first which root this is. */
function mayRefuse({ affected, damage }: Look, { thread }: Subject): boolean {
  const isUnnamed = damage.files.includes("root.json");
  return isUnnamed || affected.all || affected.types || affected.threads.has(thread);
}

/** Codes that a step may end with because of what was damaged, beyond 7. */
function stepCodes({ damage, affected, lookalike }: Look, subject: Subject): readonly number[] {
  if (damage.area === "settings" && damage.files.includes("config.yaml")) return [INVALID];
  const isHere = affected.threads.has(subject.thread);
  // Another limit, or another sum, that looks right.
  if (lookalike !== null && isHere && ["hold", "spent"].includes(damage.area)) return [HELD];
  return damage.area === "lock" && isHere ? [BUSY] : [];
}

async function step(look: Look, subject: Subject): Promise<Done> {
  const { world, uwf } = look.lab;
  const before = readLedger(world.ledger).length;
  const args = ["thread", "step", subject.thread, ...world.agent];
  const ran = await uwf(args);
  const starts = readLedger(world.ledger).length - before;
  const isAffected = mayRefuse(look, subject);
  const expected = { isAffected, codes: stepCodes(look, subject) };
  const where = `step of ${subject.name}: exit ${ran.code}, ${starts} starts\n${ran.stdout}${ran.stderr}`;
  const breaches = [
    ...refusal(look, args, ran, expected),
    ...wrongStarts(look, subject, ran, starts).map((promise) => ({ promise, evidence: where })),
    ...(ran.code === 0 ? wrongHead(look, ran) : []),
  ];
  return { name: "step", code: ran.code, breaches };
}

function wrongStarts(
  { lab, damage }: Look,
  { name }: Subject,
  { code }: Ran,
  starts: number,
): readonly string[] {
  if (starts > 1) return ["a step is run once"];
  if (code === STORE_DAMAGED && starts > 0) return ["no agent is started on a damaged history"];
  if (code !== 0) return [];
  // The result of the run that was left stands in its stdout and nowhere else; one that is damaged is none.
  const isLost = damage.files.some((file) => file.endsWith("/stdout") || lab.waiting.has(hashOf(file)));
  if (name === "left" && starts > 0 && !isLost) return ["a result that is there is used, not paid for again"];
  return [];
}

/** The head that a step told is the end of a whole chain, and the thread's. */
function wrongHead({ lab }: Look, { stdout }: Ran): readonly Breach[] {
  const { head } = JSON.parse(stdout);
  const chain = readChain(openStorage(lab.world.root, { now: Date.now }).cas, head);
  return chain.ok ? [] : [{ promise: "a head never moves to a broken chain", evidence: stdout }];
}

async function kill(look: Look, subject: Subject): Promise<Done> {
  const args = ["thread", "kill", subject.thread];
  const ran = await look.lab.uwf(args);
  const isAffected = mayRefuse(look, subject);
  const codes = look.damage.area === "lock" && isAffected ? [BUSY] : [];
  return { name: "kill", code: ran.code, breaches: refusal(look, args, ran, { isAffected, codes }) };
}
