import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { copyWorld, openWorld, putTurns, type Ran, startThread, type World } from "../../world.js";
import { AUTHOR, SAY } from "../actors.js";
import { anyJson, corpus, mutatedBytes } from "../texts.js";
import { type Bench, openBench } from "./bench.js";

const IMPORT_PROMISE = "an export file is taken whole or not at all";

/** Export files of a real thread with changes anywhere: refused, and nothing is written; or they are what they were. */
export async function imports(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  await world.json(["thread", "run", thread, ...world.agent]);
  const file = join(world.folder, "export.bin");
  await world.json(["cas", "export", thread, "-o", file]);
  const rounds = session.level === "sample" ? 2 : 40;
  const seed = session.seed + session.random.below(1_000_000);
  const files = fc.sample(damaged(readFileSync(file)), { seed, numRuns: rounds });
  const receiver = openBench(session, openWorld(join(world.folder, "receiver"), "node"), bench.records);
  for (const bytes of files) await tryFile(receiver, bytes, readFileSync(file));
  const ran = await receiver.run(["cas", "import", file]);
  if (ran.code !== 0) bench.broken(IMPORT_PROMISE, ["cas", "import"], ran, "the file itself was refused");
}

function damaged(real: Uint8Array): fc.Arbitrary<Uint8Array> {
  const words = fc.constantFrom("sha256", "nodes", "roots", "threads", "..", "/", "../../canary", "\u0000");
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .oneof(
        words,
        anyJson.map((value) => JSON.stringify(value)),
      )
      .map((text) => new Uint8Array(Buffer.from(text))),
  );
  return fc.oneof(
    { weight: 6, arbitrary: mutatedBytes(real, piece) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }) },
    { weight: 1, arbitrary: fc.constantFrom(new Uint8Array(), new Uint8Array(1_000_000)) },
  );
}

async function tryFile(bench: Bench, bytes: Uint8Array, real: Uint8Array): Promise<void> {
  const { world, session } = bench;
  const file = join(world.folder, "damaged.bin");
  writeFileSync(file, bytes);
  const before = await contentOf(world);
  const args = ["cas", "import", file];
  const ran = await bench.run(args);
  session.count("damaged export files");
  if (ran.code === 0) {
    if (Buffer.compare(bytes, real) !== 0)
      bench.broken(IMPORT_PROMISE, args, ran, evidence("it was taken", bytes));
    return;
  }
  if ((await contentOf(world)) !== before)
    bench.broken(IMPORT_PROMISE, args, ran, evidence("something was written", bytes));
}

function evidence(what: string, bytes: Uint8Array): string {
  return `${what}; the file in base64: ${Buffer.from(bytes).toString("base64").slice(0, 4_000)}`;
}

/** Nodes and threads of a storage root as one text. */
async function contentOf(world: World): Promise<string> {
  const [nodes, threads] = [await world.uwf(["cas", "list"]), await world.uwf(["thread", "list", "--all"])];
  return nodes.stdout + threads.stdout;
}

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

type Canary = { readonly path: string; readonly text: string };

/** Files beside the storage root that nobody has to read or write. */
export function plantCanaries(folder: string): readonly Canary[] {
  const outside = join(folder, "outside");
  mkdirSync(outside, { recursive: true });
  return ["canary", "canary.yaml", "canary.jsonl", "CANARY0000000.bin"].map((name, index) => {
    const text = name.endsWith(".jsonl") ? "" : `name: the-canary-sings-${index}\n`;
    const canary = { path: join(outside, name), text };
    writeFileSync(canary.path, canary.text);
    return canary;
  });
}

/** What happened to the canaries; their words must not stand in what was said. */
export function touched(canaries: readonly Canary[], { stdout, stderr }: Ran): readonly string[] {
  return canaries.flatMap(({ path, text }) => [
    ...(readFileSync(path, "utf8") === text ? [] : [`${path} was written`]),
    ...(text !== "" && `${stdout}${stderr}`.includes(text.trim())
      ? [`${path} was read into the output`]
      : []),
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

const PROMISE = "no link leads out of the storage root";

/** Symbolic links to files outside in every place of a storage root; commands neither follow them nor write through. */
export async function links(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  await world.json(["thread", "limit", thread, "--max-steps", "20"]);
  const { head } = await world.json(["thread", "step", thread, ...world.agent]);
  const more = join(world.folder, "turns.yaml");
  const text = readFileSync(join(world.cwd, "turns.yaml"), "utf8");
  writeFileSync(more, text.replace(/^description: .*$/m, "description: another version"));
  const places = placesOf(world, thread);
  const some =
    session.level === "sample"
      ? places.filter((place) => /_index$|_format$|logs|^runs.[^/]+$|spent|registry-history/.test(place))
      : places.filter(() => session.random.next() < 0.5);
  for (const [number, place] of some.entries()) {
    const copy = copyWorld(world, join(world.folder, `../links-${number}`), "node");
    await tryLink(openBench(session, copy, bench.records), place, { thread, head, more });
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
    ...["hold.json", "pause.json", "notes.jsonl", "limits.json", "spent.jsonl"].map(
      (name) => `runs/${thread}/${name}`,
    ),
    `runs/${thread}/0123456789abcdef01234567/run.json`,
    `locks/thread-${thread}.lock`,
    "threads.yaml",
    "history.jsonl",
    "removed.jsonl",
    "registry.yaml",
    "removed.jsonl",
    "children.jsonl",
    "keys.jsonl",
    "registry-history.jsonl",
    "../project/.workflows/linked.yaml",
  ];
}

/** What the commands need; `more` is a workflow file with another version. */
type Around = { readonly thread: string; readonly head: string; readonly more: string };

async function tryLink(bench: Bench, place: string, around: Around): Promise<void> {
  const { world, session } = bench;
  const canaries = plantCanaries(world.folder);
  const path = join(world.root, place);
  const folder = dirname(canaries[0]?.path ?? "");
  // What is read as a whole is refused for what stands there; a file to which lines are appended may be empty.
  const file = place.endsWith(".jsonl") ? "canary.jsonl" : "canary.yaml";
  const target = isFolder(path) ? folder : join(folder, file);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  session.count("links that lead outside");
  const commands = commandsOn(around);
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

function commandsOn({ thread, head, more }: Around): readonly (readonly string[])[] {
  return [
    ["thread", "read", thread],
    ["thread", "list", "--all"],
    ["workflow", "list"],
    ["workflow", "show", "linked"],
    ["log"],
    ["cas", "verify"],
    ["thread", "step", thread, ...SAY],
    ["thread", "start", "turns", "-p", "more"],
    ["thread", "start", "turns", "-p", "more", "--parent", thread, "--key", `${head}/maker`],
    ["workflow", "put", more],
    ["workflow", "history", "turns"],
    ["thread", "note", thread, "more"],
    ["thread", "limit", thread, "--max-steps", "9"],
    ["thread", "pause", thread],
    ["thread", "resume", thread],
    ["thread", "answer", thread, "--field", "approved=true", "--take-over"],
    ["cas", "gc"],
    ["thread", "kill", thread],
    ["thread", "rm", thread],
    ["thread", "step", thread, ...SAY],
  ];
}
