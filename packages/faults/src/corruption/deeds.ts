import { join } from "node:path";
import { openStorage, readChain } from "@uncaged/workflow-store";
import type { Random } from "../frame.js";
import { type Breach, readLedger } from "../invariants.js";
import type { Ran } from "../world.js";
import { hashOf, isAskedFor, type Look, names } from "./answers.js";
import type { Subject } from "./lab.js";

// Commands that write, on a damaged store: they do what they do on a whole one, or refuse and name the damage.

const NOT_FOUND = 3;
const INVALID = 4;
const AGENT_FAILED = 6;
const STORE_DAMAGED = 7;
const BUSY = 75;

export type Done = {
  readonly name: string;
  readonly code: number | null;
  readonly breaches: readonly Breach[];
};

/** Starts, puts, forks; then steps or kills one of the threads. */
export async function doDeeds(look: Look, random: Random): Promise<readonly Done[]> {
  const { lab, threads, types } = look;
  const one = lab.subjects.find(({ name }) => name === "one");
  const isNamed = look.names || types;
  const done = [
    await doOne(look, "start", ["thread", "start", "turns", "-p", "A task"], isNamed),
    await doOne(look, "put", ["workflow", "put", join(lab.world.cwd, "other.yaml")], isNamed),
    await doOne(look, "fork", ["thread", "fork", one?.head ?? ""], threads.has(one?.thread ?? "")),
  ];
  const active = lab.subjects.filter(({ name }) => ACTIVE.has(name));
  const affected = active.filter(({ thread }) => threads.has(thread));
  const from = affected.length > 0 && random.below(3) > 0 ? affected : active;
  // A step is two processes at least, and takes longer than all the rest.
  const subject = from[random.below(from.length)];
  if (subject === undefined || random.below(from === affected ? 2 : 4) > 0) return done;
  if (random.below(5) > 0) return [...done, await step(look, subject)];
  return [...done, await doOne(look, "kill", ["thread", "kill", subject.thread], mayRefuse(look, subject))];
}

const ACTIVE: ReadonlySet<string> = new Set("two one fresh failed fork left limited parent child".split(" "));

async function doOne(look: Look, name: string, args: readonly string[], isAffected: boolean): Promise<Done> {
  const ran = await look.lab.uwf(args);
  return { name, code: ran.code, breaches: refusal(look, args, ran, isAffected) };
}

function refusal(look: Look, args: readonly string[], ran: Ran, isAffected: boolean): readonly Breach[] {
  const { code, stdout, stderr } = ran;
  const { area, files } = look.damage;
  const line = `uwf ${args.join(" ")} ended with ${code ?? ran.signal}\n${stdout}${stderr}`;
  const breach = (promise: string): readonly Breach[] => [{ promise, evidence: line }];
  if (code === 1) return breach("damage is an error with a code, never a bug");
  if (code === 0) return [];
  if (code === INVALID && area === "settings" && files.includes("config.yaml")) return [];
  if (!isAffected) return breach("what is not damaged works as before");
  if (code === NOT_FOUND && isAskedFor(look.damage, args)) return [];
  // Who holds it, or whether its agent still runs, cannot be told.
  if (code === BUSY && (area === "lock" || area === "run")) return [];
  if (code !== STORE_DAMAGED && code !== AGENT_FAILED) return breach("damage is exit 7");
  return names(look, stderr) ? [] : breach("what is damaged is named");
}

/** What starts or ends processes asks first which root this is. */
function mayRefuse({ threads, types, damage }: Look, { thread }: Subject): boolean {
  return damage.files.includes("root.json") || types || threads.has(thread);
}

async function step(look: Look, subject: Subject): Promise<Done> {
  const { lab, damage } = look;
  const before = readLedger(lab.world.ledger).length;
  const args = ["thread", "step", subject.thread, ...lab.world.agent];
  const ran = await lab.uwf(args);
  const starts = readLedger(lab.world.ledger).length - before;
  const broken = new Set<string>();
  if (starts > 1) broken.add("a step is run once");
  if (ran.code === STORE_DAMAGED && starts > 0) broken.add("no agent is started on a damaged history");
  // The result of the run that was left stands in its stdout and nowhere else; one that is damaged is none.
  const isLost = damage.files.some((file) => file.endsWith("/stdout") || lab.waiting.has(hashOf(file)));
  if (ran.code === 0 && subject.name === "left" && starts > 0 && !isLost)
    broken.add("a result that is there is used, not paid for again");
  if (ran.code === 0) {
    const storage = openStorage(lab.world.root, { now: Date.now });
    if (!readChain(storage.cas, JSON.parse(ran.stdout).head).ok)
      broken.add("a head never moves to a broken chain");
  }
  const evidence = `step of ${subject.name}: exit ${ran.code}, ${starts} starts\n${ran.stdout}${ran.stderr}`;
  const breaches = [...broken].map((promise) => ({ promise, evidence }));
  return {
    name: "step",
    code: ran.code,
    breaches: [...refusal(look, args, ran, mayRefuse(look, subject)), ...breaches],
  };
}
