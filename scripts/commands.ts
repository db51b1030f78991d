import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AddOn } from "../packages/cli-workflow/src/line/index.js";
import type { Words } from "../packages/command-line/src/index.js";
import { CODING_AGENTS } from "./coding-agents.js";
import { writeChanged } from "./write-changed.js";

// bun scripts/commands.ts: finds the definitions of the commands of uwf and json-cas, and writes beside them
// commands.made.ts, which loads each when it is run, and words.made.ts, what help and completion say of them without loading
// any. `bun scripts/commands.ts add-ons`, before it: the groups and topics that add-ons bring, which uwf's own definitions read
// when they are loaded. Part of the build.

const packages = resolve(import.meta.dirname, "../packages");
const JSON_CAS = join(packages, "cli-json-cas/src");
const UWF = join(packages, "cli-workflow/src");

const MADE = "// Made by scripts/commands.ts from the definitions in commands/.";

/** How a program's table of commands begins and ends. */
type Table = { readonly head: string; readonly end: string };

const TABLES: Readonly<Record<string, Table>> = {
  [JSON_CAS]: {
    head: `import type { MountedCommand } from "./define.js";

${MADE}

/** Every command, loaded when it is asked for. */
export const COMMANDS: Readonly<Record<string, () => Promise<MountedCommand>>> = {
`,
    end: "};\n",
  },
  [UWF]: {
    head: `import { MOUNTED } from "./commands/index.js";
import * as line from "./line/index.js";

${MADE}

export const COMMANDS: Readonly<Record<string, () => Promise<line.UwfCommand | null>>> = {
`,
    end: "  ...MOUNTED,\n};\n",
  },
};

type Defined = {
  /** How the table loads it. */
  readonly load: string;
  readonly path: string;
  readonly words: object;
};

const LINE = join(UWF, "line/added.made.ts");
const HELP = join(UWF, "help/added.made.ts");
const AGENTS = join(packages, "workflow-engine/src/added-agents.made.ts");

await (process.argv[2] === "add-ons" ? mainOfAddOns() : main());

async function mainOfAddOns(): Promise<void> {
  const before = [LINE, HELP, AGENTS].filter(existsSync).map((file) => ({ file, ...stateOf(file) }));
  // The add-ons import what imports these, which an older build may have made without what it imports now.
  writeAll([]);
  emptyTables();
  writeAll((await addOnsHere()).map(([, addOn]) => addOn));
  // One that came back as it was keeps its time: nothing is compiled again.
  for (const { file, text, mtime } of before) if (stateOf(file).text === text) utimesSync(file, mtime, mtime);
}

function stateOf(file: string) {
  return { text: readFileSync(file, "utf8"), mtime: statSync(file).mtime };
}

function writeAll(all: readonly AddOn[]): void {
  writeLine(all);
  writeHelp(all);
  writeAgents(all);
}

/** The add-ons that are in this tree, by the names under which uwf knows them. */
async function addOnsHere(): Promise<readonly (readonly [name: string, addOn: AddOn])[]> {
  const { ADD_ONS } = await import("../packages/cli-workflow/src/line/index.js");
  const found: (readonly [string, AddOn])[] = [];
  for (const [name, { package: of }] of Object.entries(ADD_ONS)) {
    const file = join(packages, of.replace("@uncaged/", ""), "src/add-on.ts");
    if (!existsSync(file)) continue;
    const { addOn } = (await import(pathToFileURL(file).href)) as { readonly addOn: AddOn };
    found.push([name, addOn]);
  }
  return found;
}

async function main(): Promise<void> {
  emptyTables();
  const { BARE } = await import("../packages/cli-json-cas/src/program.js");
  const bare = await defined(JSON_CAS, (command: (mount: typeof BARE) => Words) => command(BARE));
  writeTable(JSON_CAS, bare);
  writeWords(JSON_CAS, bare);
  const { declaredFaults, ownExits } = await import("../packages/cli-workflow/src/line/index.js");
  const withExits = (words: Words): Words & { readonly exitCodes: readonly number[] } => ({
    ...words,
    exitCodes: ownExits(declaredFaults(words)),
  });
  const own = await defined(UWF, withExits);
  const { ADD_ONS } = await import("../packages/cli-workflow/src/line/index.js");
  const added = (await addOnsHere()).flatMap(([name, { commands }]) =>
    commands.map(({ path, ...words }) => {
      const load = `() => line.addedCommand(${JSON.stringify(name)}, ${JSON.stringify(path)})`;
      const origin = `Comes with ${ADD_ONS[name as keyof typeof ADD_ONS].package}, which is installed beside uwf.`;
      const notes = [...(words.notes === "" ? [] : [words.notes]), origin].join("\n\n");
      return { load, path, words: withExits({ ...words, path, notes }) };
    }),
  );
  writeTable(UWF, [...own, ...added]);
  const { MOUNTED } = await import("../packages/cli-workflow/src/commands/index.js");
  const mounted = await Promise.all(
    Object.entries(MOUNTED).map(async ([path, load]) => ({ load: "", path, words: withExits(await load()) })),
  );
  writeWords(UWF, [...own, ...added, ...mounted]);
}

/** In a fresh clone: commands that print words of others import what this makes of all of them. */
function emptyTables(): void {
  writeChanged(join(packages, "workflow-engine/src/coding-agents.made.ts"), folders());
  for (const source of [JSON_CAS, UWF]) {
    if (!existsSync(join(source, "words.made.ts"))) writeWords(source, []);
    if (!existsSync(join(source, "commands.made.ts"))) writeTable(source, []);
  }
}

/** The engine knows no agent: what it has to know of each comes from its adapter. */
function folders(): string {
  const rows = CODING_AGENTS.map(
    ({ name, ownFolders }) => `  "uwf-${name}": ${JSON.stringify(ownFolders)},\n`,
  );
  return `// Made by scripts/commands.ts from the adapters of agents.

/** Coding agents, and where the program of each keeps logins, sessions and settings, relative to the home folder. */
export const CODING_AGENT_FOLDERS: Readonly<Record<string, readonly string[]>> = {
${rows.join("")}};
`;
}

/** The definitions below `commands/`, by their files. Throws when two have one path. */
async function defined<Command>(
  source: string,
  wordsOf: (command: Command) => Words & object,
): Promise<readonly Defined[]> {
  const found: Defined[] = [];
  for (const file of definitions(join(source, "commands"))) {
    const { command } = (await import(pathToFileURL(file).href)) as { readonly command: Command };
    const words = wordsOf(command);
    const load = `async () => (await import("./${relative(source, file).replace(/\.ts$/, ".js")}")).command`;
    const twin = found.find(({ path }) => path === words.path);
    if (twin !== undefined) throw new Error(`${load} and ${twin.load} define ${words.path}`);
    found.push({ load, path: words.path, words });
  }
  return found;
}

/** Files that export a definition, sorted. */
function definitions(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file))
    .filter((file) => /^export const command = define(?:Root)?Command\(/m.test(readFileSync(file, "utf8")));
}

function writeTable(source: string, all: readonly Defined[]): void {
  const rows = all.map(({ load, path }) => `  ${JSON.stringify(path)}: ${load},\n`);
  const { head = "", end = "" } = TABLES[source] ?? {};
  writeChanged(join(source, "commands.made.ts"), `${head}${rows.join("")}${end}`);
}

/** Functions have no place in a text, and are left out. */
function writeWords(source: string, all: readonly Defined[]): void {
  const type = source === UWF ? ["CommandWords", "./line/index.js"] : ["Words", "@uncaged/command-line"];
  const words = JSON.stringify(
    Object.fromEntries(all.map(({ path, words: each }) => [path, each])),
    withoutFaults,
  );
  const text = `import type { ${type[0]} } from "${type[1]}";

${MADE} A text is read faster than an object literal.

export const WORDS: Readonly<Record<string, ${type[0]}>> = JSON.parse(
  ${JSON.stringify(words)},
);
`;
  writeChanged(join(source, "words.made.ts"), text);
}

/** The exit codes are worked out already, and nothing else asks for faults. */
function withoutFaults(key: string, value: unknown): unknown {
  return key === "faults" || key === "exits" ? [] : value;
}

function writeLine(all: readonly AddOn[]): void {
  const groups = Object.assign({}, ...all.map((addOn) => addOn.groups)) as object;
  const topics = all.flatMap((addOn) => addOn.topics.map(({ name, summary }) => [name, summary] as const));
  writeChanged(
    LINE,
    `import type { Group } from "@uncaged/command-line";

${MADE}

export const ADDED_GROUPS: Readonly<Record<string, Group>> = ${JSON.stringify(groups)};

/** Their summaries, by name. */
export const ADDED_TOPICS: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(topics))};
`,
  );
}

function writeHelp(all: readonly AddOn[]): void {
  const topics = JSON.stringify(all.flatMap((addOn) => addOn.topics));
  const agents = JSON.stringify(all.flatMap((addOn) => addOn.agents));
  writeChanged(
    HELP,
    `import type { AddOn, Topic } from "../line/index.js";

${MADE}

export const ADDED: readonly Topic[] = ${topics};

export const ADDED_AGENTS: AddOn["agents"] = ${agents};
`,
  );
}

/** The engine tells those of add-ons by their names. */
function writeAgents(all: readonly AddOn[]): void {
  const names = all.flatMap((addOn) => addOn.agents.map(({ name }) => name));
  writeChanged(
    AGENTS,
    `${MADE}\n\nexport const ADDED_AGENTS: readonly string[] = ${JSON.stringify(names)};\n`,
  );
}
