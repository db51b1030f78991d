import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Ran } from "../../world/index.js";
import { AUTHOR } from "../actors/index.js";
import { corpus } from "../corpus/index.js";
import type { Bench } from "./bench.js";

const PATH_PROMISE = "no path leaves the storage root";

/** Words of which a path could be made, in the place of every id, name and hash; canary files tell who was there. */
export async function paths(bench: Bench): Promise<void> {
  const { session, world } = bench;
  const canaries = plantCanaries(world.folder);
  const words = [...corpus("paths"), ...canaries.map(({ path }) => path)].filter(
    (word) => !word.includes("\0"),
  );
  // A sample takes a few of them, different ones at each command.
  const some = (at: number): readonly string[] =>
    session.level === "sample"
      ? [words[(at * 7) % words.length] ?? ""]
      : words.filter(() => session.random.next() < 0.15);
  const commands = session.level === "sample" ? COMMANDS.filter((_, at) => at % 2 === 0) : COMMANDS;
  for (const [at, command] of commands.entries()) {
    for (const word of some(at)) {
      const args = command.map((part) => (part === "?" ? word : part));
      const ran = await bench.run(args);
      session.count("paths in the place of ids");
      for (const seen of touched(canaries, ran)) bench.broken(PATH_PROMISE, args, ran, seen);
    }
  }
  const strangers = filesBelow(world.folder).filter((file) => !isExpected(file));
  if (strangers.length > 0) session.broken(PATH_PROMISE, `files appeared outside: ${strangers.join(", ")}`);
}

const COMMANDS: readonly (readonly string[])[] = [
  ["thread", "show", "?"],
  ["thread", "step", "?", ...AUTHOR],
  ["thread", "kill", "?"],
  ["thread", "unlock", "?", "--force"],
  ["thread", "read", "?"],
  ["thread", "fork", "?"],
  ["thread", "step-details", "?"],
  ["log", "--thread", "?"],
  ["cas", "get", "?"],
  ["cas", "has", "?"],
  ["cas", "walk", "?"],
  ["cas", "put", "?", "{}"],
  ["cas", "list", "--type", "?"],
  ["cas", "gc", "--root", "?"],
  ["completion", "?"],
];

export type Canary = { readonly path: string; readonly text: string };

/** Files beside the storage root that nobody has to read or write. */
export function plantCanaries(folder: string): readonly Canary[] {
  const outside = join(folder, "outside");
  mkdirSync(outside, { recursive: true });
  return ["canary", "canary.yaml", "canary.jsonl", "CANARY0000000.bin"].map((name, index) => {
    const canary = { path: join(outside, name), text: `name: the-canary-sings-${index}\n` };
    writeFileSync(canary.path, canary.text);
    return canary;
  });
}

/** What happened to the canaries; their words must not stand in what was said. */
export function touched(canaries: readonly Canary[], { stdout, stderr }: Ran): readonly string[] {
  return canaries.flatMap(({ path, text }) => [
    ...(readFileSync(path, "utf8") === text ? [] : [`${path} was written`]),
    ...(`${stdout}${stderr}`.includes(text.trim()) ? [`${path} was read into the output`] : []),
  ]);
}

function isExpected(file: string): boolean {
  return /^(?:storage|home|project|outside)\/|^ledger$/.test(file) && !file.startsWith("outside/.");
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
