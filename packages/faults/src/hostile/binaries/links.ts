import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyWorld, putTurns, startThread, type World } from "../../world/index.js";
import { SAY } from "../actors/index.js";
import { type Bench, openBench } from "./bench.js";
import { type Canary, plantCanaries, touched } from "./paths.js";

const PROMISE = "no link leads out of the storage root";

/** Symbolic links to files outside in every place of a storage root; commands neither follow them nor write through. */
export async function links(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  await world.json(["thread", "step", thread, ...world.agent]);
  const places = placesOf(world, thread);
  const some =
    session.level === "sample"
      ? places.filter((place) => /_index$|_format$|logs|^runs.[^/]+$/.test(place))
      : places.filter(() => session.random.next() < 0.5);
  for (const [number, place] of some.entries()) {
    const copy = copyWorld(world, join(world.folder, `../links-${number}`), "node");
    await tryLink(openBench(session, copy, bench.records), place, thread);
    rmSync(copy.folder, { recursive: true, force: true });
  }
}

/** Paths in the storage root, some of which exist. */
function placesOf({ root }: World, thread: string): readonly string[] {
  const names = (folder: string): readonly string[] =>
    readdirSync(join(root, folder)).map((name) => join(folder, name));
  const day = new Date().toISOString().slice(0, 10);
  const nodes = names("cas").filter((name) => name.endsWith(".bin"));
  return [
    ...nodes.slice(0, 3),
    ...nodes.slice(-3),
    ...names("cas/_index").slice(0, 3),
    "cas/_format",
    "cas/_index",
    `logs/${day}.jsonl`,
    `runs/${thread}`,
    `runs/${thread}/ending`,
    `runs/${thread}/0123456789abcdef01234567/run.json`,
    `locks/thread-${thread}.lock`,
    "threads.yaml",
    "history.jsonl",
    "registry.yaml",
    "../project/.workflows/linked.yaml",
  ];
}

async function tryLink(bench: Bench, place: string, thread: string): Promise<void> {
  const { world, session } = bench;
  const canaries = plantCanaries(world.folder);
  const path = join(world.root, place);
  const target = isFolder(path) ? dirname(canaries[0]?.path ?? "") : (canaries[1]?.path ?? "");
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  session.count("links that lead outside");
  const commands = commandsOn(thread);
  for (const args of session.level === "sample" ? commands.filter((_, at) => at % 3 === 0) : commands) {
    const ran = await bench.once(args);
    for (const seen of touched(canaries, ran))
      bench.broken(PROMISE, args, ran, `${place} → outside: ${seen}`);
  }
  const strangers = strangersOf(canaries);
  if (strangers.length > 0)
    session.broken(PROMISE, `${place} → outside: ${strangers.join(", ")} were written there`);
}

function strangersOf(canaries: readonly Canary[]): readonly string[] {
  const known = new Set(canaries.map(({ path }) => path));
  const folder = dirname(canaries[0]?.path ?? "");
  return readdirSync(folder).filter((name) => !known.has(join(folder, name)));
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true || /\/runs\/[^/]+$/.test(path);
}

function commandsOn(thread: string): readonly (readonly string[])[] {
  return [
    ["thread", "read", thread],
    ["thread", "list", "--all"],
    ["workflow", "list"],
    ["workflow", "show", "linked"],
    ["log"],
    ["cas", "verify"],
    ["thread", "step", thread, ...SAY],
    ["thread", "start", "turns", "-p", "more"],
    ["cas", "gc"],
    ["thread", "kill", thread],
    ["thread", "step", thread, ...SAY],
  ];
}
