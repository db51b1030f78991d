import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Words } from "../packages/command-line/src/index.js";
import { CODING_AGENTS } from "./coding-agents.js";
import { writeChanged } from "./write-changed.js";

// bun scripts/commands.ts: finds the definitions of the commands of uwf and json-cas, and writes beside them
// commands.made.ts, which loads each when it is run, and words.made.ts, what help and completion say of them without loading
// any. Part of the build.

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
import type { UwfCommand } from "./line/index.js";

${MADE}

export const COMMANDS: Readonly<Record<string, () => Promise<UwfCommand>>> = {
`,
    end: "  ...MOUNTED,\n};\n",
  },
};

type Defined = { readonly file: string; readonly path: string; readonly words: object };

await main();

async function main(): Promise<void> {
  writeChanged(join(packages, "workflow-engine/src/coding-agents.made.ts"), folders());
  // Commands that print words of others import what this makes of all of them.
  for (const source of [JSON_CAS, UWF]) {
    if (!existsSync(join(source, "words.made.ts"))) writeWords(source, []);
    if (!existsSync(join(source, "commands.made.ts"))) writeTable(source, []);
  }
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
  writeTable(UWF, own);
  const { MOUNTED } = await import("../packages/cli-workflow/src/commands/index.js");
  const mounted = await Promise.all(
    Object.entries(MOUNTED).map(async ([path, load]) => ({ file: "", path, words: withExits(await load()) })),
  );
  writeWords(UWF, [...own, ...mounted]);
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
    const twin = found.find(({ path }) => path === words.path);
    if (twin !== undefined) throw new Error(`${file} and ${twin.file} define ${words.path}`);
    found.push({ file, path: words.path, words });
  }
  return found;
}

/** Files that export a definition, sorted. */
function definitions(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file))
    .filter((file) => /^export const command = defineCommand\(/m.test(readFileSync(file, "utf8")));
}

function writeTable(source: string, all: readonly Defined[]): void {
  const rows = all.map(({ file, path }) => {
    const specifier = `./${relative(source, file).replace(/\.ts$/, ".js")}`;
    return `  ${JSON.stringify(path)}: async () => (await import(${JSON.stringify(specifier)})).command,\n`;
  });
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
