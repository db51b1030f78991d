import type { Lead } from "./types.js";

// A command is no path: what its words name is looked at, what it does is not known. That keeps honest agents inside
// the working folder; it is no sandbox.

const PROGRAM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

const DEVICES: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/tty",
]);

/** Where the words of a shell's command lead. */
export function leadsOfCommand(command: string): readonly Lead[] {
  const leads: Lead[] = [];
  let first = true;
  for (const [token] of command.matchAll(/[;|&(){}\n]+|[^\s;|&(){}<>"'`=,]+/g)) {
    const separates = /^[;|&(){}\n]/.test(token);
    if (!separates) leads.push(...leadsOfWord(token, first));
    first = separates;
  }
  return /(?:^|[;|&(\s])(?:cd|pushd)\s*(?:-\s*)?(?:$|[;|&)\n])/.test(command)
    ? [...leads, { kind: "beyond", what: "cd to another folder" }]
    : leads;
}

function leadsOfWord(word: string, first: boolean): readonly Lead[] {
  if (/\$\{?(?!PWD\b)[A-Za-z_]/.test(word)) return [{ kind: "beyond", what: `what ${word} stands for` }];
  if (word.startsWith("~")) return [{ kind: "beyond", what: word }];
  if (word.startsWith("-") || DEVICES.has(word)) return [];
  if (first && PROGRAM_FOLDERS.test(word)) return [];
  return [{ kind: "path", path: word.replace(/^file:\/\//, "").replace(/^\$\{?PWD\}?/, ".") }];
}

/** The same for a command that is already split; behind `sh -c` stands a shell's. */
export function leadsOfWords(words: readonly string[]): readonly Lead[] {
  const [program, ...rest] = words;
  const own = program === undefined ? [] : leadsOfWord(program, true);
  return [...own, ...rest.flatMap((word) => leadsOfCommand(word))];
}
