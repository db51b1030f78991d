import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Words } from "../packages/command-line/src/index.js";

// bun scripts/commands.ts: finds the definitions of uwf's commands and writes src/commands.made.ts, which loads each
// when it is run, and src/words.made.ts, what help and completion say of them without loading any. Part of the build.

const source = resolve(import.meta.dirname, "../packages/cli-workflow/src");

const COMMANDS_HEAD = `import type { UwfCommand } from "./line/index.js";

// Made by scripts/commands.ts from the definitions in commands/.

export const COMMANDS: Readonly<Record<string, () => Promise<UwfCommand>>> = {
`;

const WORDS_HEAD = `import type { CommandWords } from "./line/index.js";

// Made by scripts/commands.ts from the definitions in commands/. A text is read faster than an object literal.

export const WORDS: Readonly<Record<string, CommandWords>> = JSON.parse(
`;

type Defined = { readonly file: string; readonly words: Words; readonly exitCodes: readonly number[] };

await main();

async function main(): Promise<void> {
  // Commands that print words of others import what this makes of all of them.
  if (!existsSync(join(source, "words.made.ts"))) write("words.made.ts", wordsFile([]));
  if (!existsSync(join(source, "commands.made.ts"))) write("commands.made.ts", commandsFile([]));
  const { declaredFaults, exitCodesOf } = await import("../packages/cli-workflow/src/line/index.js");
  const defined: Defined[] = [];
  for (const file of definitions(join(source, "commands"))) {
    const { command } = (await import(pathToFileURL(file).href)) as { readonly command: Words };
    defined.push({ file, words: command, exitCodes: exitCodesOf(declaredFaults(command)) });
  }
  const twice = defined.find(
    ({ words }, at) => defined.findIndex((each) => each.words.path === words.path) !== at,
  );
  if (twice !== undefined)
    throw new Error(`${twice.file}: another command is called ${twice.words.path} too`);
  write("commands.made.ts", commandsFile(defined));
  write("words.made.ts", wordsFile(defined));
}

/** Files that export a definition, sorted. */
function definitions(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file))
    .filter((file) => /^export const command = defineCommand\(/m.test(readFileSync(file, "utf8")));
}

function commandsFile(defined: readonly Defined[]): string {
  const rows = defined.map(({ file, words }) => {
    const specifier = `./${relative(source, file)}`.replace(/\.ts$/, ".js");
    return `  ${JSON.stringify(words.path)}: async () => (await import(${JSON.stringify(specifier)})).command,\n`;
  });
  return `${COMMANDS_HEAD}${rows.join("")}};\n`;
}

/** Functions have no place in a text, and are left out. */
function wordsFile(defined: readonly Defined[]): string {
  const all = Object.fromEntries(
    defined.map(({ words, exitCodes }) => [words.path, { ...words, exitCodes }]),
  );
  return `${WORDS_HEAD}  ${JSON.stringify(JSON.stringify(all))},\n);\n`;
}

/** A file that is as it should be keeps its time: nothing is compiled again. */
function write(name: string, text: string): void {
  const file = join(source, name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
