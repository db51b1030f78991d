/** One word quoted for a shell, or unchanged if no quoting is needed. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Maximum length of an agent's command in a step; longer ones (a script as an argument) are cut. */
const LONGEST = 1000;

/** Program and arguments as a person would type them, on one line unless they contain line breaks themselves. */
export function commandLine(words: readonly string[]): string {
  const line = words.map(shellWord).join(" ");
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(HALF, "")}…`;
}

/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/;

/** The name of the program in a command line: its first word without folders. A bare name is itself. */
export function programOf(line: string): string {
  const [first = ""] = FIRST_WORD.exec(line.slice(0, LONGEST)) ?? [];
  const word = first.replace(/'([^']*)'|\\(.)/gs, (_, quoted, escaped) => quoted ?? escaped);
  return word.slice(word.lastIndexOf("/") + 1);
}

const FIRST_WORD = /^(?:'[^']*'|\\.|[^\s'\\])*/s;
