/** One word for a shell, as it is where that does. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Characters of an agent's command that are kept in a step; what is longer (a script as an argument) is cut. */
const LONGEST = 1000;

/** Program and arguments as a person would type them, on one line where they have no line breaks themselves. */
export function commandLine(words: readonly string[]): string {
  const line = words.map(shellWord).join(" ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(HALF, "")}…`;
}

/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/;

/** The name of the program in a command line: its first word without folders. A bare name is itself. */
export function programOf(line: string): string {
  const [first = ""] = FIRST_WORD.exec(line) ?? [];
  const word = first.replace(/'([^']*)'|\\(.)/gs, (_, quoted, escaped) => quoted ?? escaped);
  return word.slice(word.lastIndexOf("/") + 1);
}

const FIRST_WORD = /^(?:'[^']*'|\\.|[^\s'\\])*/s;
