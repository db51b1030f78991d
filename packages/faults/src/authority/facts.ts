import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { encodeNode, type Hash } from "@uncaged/json-cas";
import { ROLE_NAME } from "@uncaged/workflow-protocol";
import { openStorage } from "@uncaged/workflow-store";
import type { Breach } from "../invariants.js";
import { type Deed, ownThreads } from "./deeds.js";
import { SECRET, STRANGER, type Stage, type Start } from "./stage.js";
import { MARK } from "./texts.js";

/** What a root and the folders around it are after an import and every command. */
export type Facts = {
  readonly deeds: readonly Deed[];
  readonly own: ReadonlyMap<string, string>;
  /** Bytes of the owner's nodes, by hash. */
  readonly nodes: ReadonlyMap<Hash, string>;
  /** Files outside of the storage root, with a checksum. */
  readonly outside: ReadonlyMap<string, string>;
  /** Files of the root that only grow. */
  readonly lines: ReadonlyMap<string, string>;
};

export async function factsOf(stage: Stage, hashes: readonly Hash[], deeds: readonly Deed[]): Promise<Facts> {
  const own = new Map<string, string>();
  for (const [name, { code, stdout, stderr }] of await ownThreads(stage))
    own.set(name, `${own.get(name) ?? ""}${code === 0 ? stateIn(stdout) : stderr}\n`);
  return { deeds, own, nodes: nodesOf(stage, hashes), outside: outsideOf(stage), lines: linesOf(stage) };
}

type Shown = {
  readonly done?: boolean | null;
  readonly reason?: string | null;
  readonly held?: unknown;
  readonly steps?: readonly { readonly role?: string; readonly output?: unknown }[];
};

/** Roles and outputs, and whether it has ended; ids, hashes and times differ from run to run. */
function stateIn(stdout: string): string {
  const { done = null, reason = null, held = null, steps = [] }: Shown = JSON.parse(stdout);
  return JSON.stringify([
    done,
    reason,
    held !== null,
    steps.map(({ role, output }) => [role, output]),
  ]).replaceAll(HASH, "HASH");
}

const HASH = /\b[0-9A-F][0-9A-HJKMNP-TV-Z]{12}\b/g;
const ID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;

function nodesOf({ world }: Stage, hashes: readonly Hash[]): ReadonlyMap<Hash, string> {
  const { cas } = openStorage(world.root, { now: Date.now });
  const found = new Map<Hash, string>();
  for (const hash of hashes) {
    try {
      const node = cas.get(hash);
      if (node !== null) found.set(hash, sumOf(encodeNode({ ...node, timestamp: 0 })));
    } catch {
      // Damaged: as good as gone.
    }
  }
  return found;
}

function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function outsideOf({ world, starts }: Stage): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (file === world.root || file === starts || file === join(world.folder, "home/.bun")) continue;
      const stat = lstatSync(file);
      if (stat.isDirectory()) look(file);
      else found.set(relative(world.folder, file), stat.isFile() ? sumOf(readFileSync(file)) : "no file");
    }
  };
  look(world.folder);
  // An export is other bytes each time.
  found.delete("project/own.pack");
  return found;
}

function linesOf({ world }: Stage): ReadonlyMap<string, string> {
  const names = ["history.jsonl", "children.jsonl", "keys.jsonl", "registry.yaml", "config.yaml", ".env"];
  return new Map(
    names.map((name) => {
      const file = join(world.root, name);
      return [name, existsSync(file) ? readFileSync(file, "utf8") : ""];
    }),
  );
}

/** What the changed export achieved that the unchanged one did not. `before`: the root's lines before the import. */
export function breachesIn(
  stage: Stage,
  before: Facts["lines"],
  plain: Facts,
  changed: Facts,
): readonly Breach[] {
  return [
    ...changed.deeds.flatMap((deed) => [
      ...absolute(deed),
      ...startsBeyond(stage, plain, deed),
      ...signalsBeyond(plain, deed),
    ]),
    ...takenThreads(stage, changed),
    ...ownChanged(plain, changed),
    ...lost(before, plain, changed),
  ];
}

const lineOf = ({ args, ran }: Deed): string =>
  `uwf ${args.join(" ")} ended with ${ran.code}\n${ran.stdout.slice(0, 600)}${ran.stderr.slice(0, 600)}`;

/** What no export may achieve, not even the unchanged one. */
export function absolute(deed: Deed): readonly Breach[] {
  const found: Breach[] = [];
  const breach = (promise: string, evidence: string): void => {
    found.push({ promise, evidence: `${evidence}\n${lineOf(deed)}` });
  };
  for (const { argv, env } of deed.starts) {
    const words = argv.filter((word) => word.includes(MARK) || word.includes(STRANGER.session));
    if (words.length > 0) breach("no text of a node is a word of a start", JSON.stringify(argv));
    const named = Object.entries(env).filter(([, value]) => value.includes(MARK));
    if (named.length > 0) breach("no text of a node is in the environment of a start", JSON.stringify(named));
  }
  if (deed.ran.code === 1) breach("no export makes a command end with a bug", "");
  if (`${deed.ran.stdout}${deed.ran.stderr}`.includes(SECRET)) breach("no key is shown", "");
  return found;
}

/** A command that starts more than with the unchanged export, or something else. */
function startsBeyond(stage: Stage, plain: Facts, deed: Deed): readonly Breach[] {
  const known = plain.deeds.filter(({ name }) => kindOf(name) === kindOf(deed.name));
  const forms = new Set(known.flatMap(({ starts }) => starts.map((start) => formOf(stage, start))));
  const counts = known.map(({ starts }) => starts.length);
  // What was not stepped before is left for `run --all`.
  const most = deed.name === "run all" ? counts.reduce((sum, each) => sum + each, 0) : Math.max(0, ...counts);
  const found = deed.starts
    .map((start) => formOf(stage, start))
    .filter((form) => !forms.has(form))
    .map((form) => ({
      promise: "a changed export starts nothing that the unchanged one does not",
      evidence: `${form}\ninstead of ${[...forms].join(" or ")}\n${lineOf(deed)}`,
    }));
  if (deed.starts.length <= most) return found;
  const evidence = `${deed.starts.length} instead of ${most}\n${lineOf(deed)}`;
  return [...found, { promise: "a changed export starts no more than the unchanged one", evidence }];
}

/** A thread of a stranger may stand elsewhere than before: a step of it is compared with the steps of all of them. */
function kindOf(name: string): string {
  return name === "run all" || name.startsWith("step ") ? "imported" : name;
}

/** A start without what differs from run to run: ids, hashes, tokens; a role is any word that a role can be called. */
function formOf({ world, child, threads }: Stage, { argv, env, cwd }: Start): string {
  const role = argv[0] === "agent" && ROLE_NAME.test(argv.at(-1) ?? "") ? argv.length - 1 : -1;
  const own = [...Object.values(threads), child];
  const plain = (text: string): string =>
    text
      .replaceAll(world.folder, "FOLDER")
      .replaceAll(ID, (id) => (own.includes(id) && env.UWF_STEP_KEY === undefined ? id : "THREAD"))
      .replaceAll(HASH, "HASH");
  const words = argv.map((word, at) => (at === role ? "ROLE" : plain(word)));
  return JSON.stringify([words, Object.keys(env).sort().join(" "), plain(cwd)]);
}

function signalsBeyond(plain: Facts, { name, signals, ...deed }: Deed): readonly Breach[] {
  const known = plain.deeds.find((each) => each.name === name)?.signals.length ?? 0;
  if (signals.length <= known) return [];
  const evidence = `${signals.join(", ")}\n${lineOf({ name, signals, ...deed })}`;
  return [{ promise: "a changed export has nothing signalled", evidence }];
}

/** A key and a place of a child are the owner's: a thread that an import brought is never taken for them. */
function takenThreads({ threads }: Stage, { deeds }: Facts): readonly Breach[] {
  const of = (name: string): Deed | undefined => deeds.find((deed) => deed.name === name);
  const import_ = of("import");
  const brought = import_?.ran.code === 0 ? importedIn(import_) : [];
  const promise = "no imported thread is taken for one that this root has started";
  const found: Breach[] = [];
  for (const name of ["own key", "new key", "own child"]) {
    const deed = of(name);
    if (deed === undefined || deed.ran.code !== 0) continue;
    const { thread, existing } = JSON.parse(deed.ran.stdout);
    const isRight = name === "own key" ? thread === threads.keyed : existing === false;
    if (!isRight || brought.includes(thread)) found.push({ promise, evidence: lineOf(deed) });
  }
  return found;
}

function importedIn({ ran }: Deed): readonly string[] {
  const { entries }: { entries: readonly { thread: string; outcome: string }[] } = JSON.parse(ran.stdout);
  return entries.filter(({ outcome }) => outcome === "added").map(({ thread }) => thread);
}

function ownChanged(plain: Facts, changed: Facts): readonly Breach[] {
  return [...plain.own].flatMap(([name, state]) => {
    const now = changed.own.get(name);
    if (now === state) return [];
    const evidence = `${name}: ${now}\ninstead of ${state}`;
    return [{ promise: "the owner's threads are where they are without the change", evidence }];
  });
}

function lost(before: Facts["lines"], plain: Facts, changed: Facts): readonly Breach[] {
  const found: Breach[] = [];
  for (const [hash, sum] of plain.nodes)
    if (changed.nodes.get(hash) !== sum)
      found.push({ promise: "no node of the owner is lost or changed", evidence: hash });
  for (const [file, sum] of plain.outside)
    if (changed.outside.get(file) !== sum)
      found.push({ promise: "nothing is written outside of the root", evidence: file });
  for (const file of changed.outside.keys())
    if (!plain.outside.has(file))
      found.push({ promise: "nothing is written outside of the root", evidence: `${file} is new` });
  for (const [file, text] of before)
    if (changed.lines.get(file)?.startsWith(text) !== true)
      found.push({
        promise: "no line of the owner is lost",
        evidence: `${file}: ${changed.lines.get(file)}`,
      });
  return found;
}
