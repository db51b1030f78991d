export type Word = {
  readonly text: string;
  /** Whether it contains an unquoted `*` or `?`, which the shell expands. */
  readonly glob: boolean;
};

type Redirect = { readonly to: "read" | "write"; readonly path: string };

/** One program with its words, between two separators. */
export type Command = {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** The separator after it; `null` at the end. */
  readonly next: Separator | null;
};

type Separator = "&&" | "||" | "|" | ";";

type Read =
  | { readonly ok: true; readonly commands: readonly Command[] }
  /** The part of the line that this grammar does not accept. */
  | { readonly ok: false; readonly what: string };

// A small subset of the shell's language, in which sh, dash, bash and zsh agree: plain words, quotes without anything to
// expand, `&&`, `||`, `;`, `|`, and redirections to one word. Everything else is refused.

const LONGEST = 16_384;

/** Literal in every shell, in any position. */
const PLAIN = /^[\w@%+=:,./-]+$/;

const SEPARATOR = /(&&|\|\||[|;])[ \t]*/y;
const REDIRECT = /(?:[12]?>>?|<)[ \t]*(?=[\w./'"-])/y;
const DUPLICATE = /[12]?>&[12](?=[ \t;|&]|$)/y;
const BLANK = /[ \t]+/y;

/** The parts of a word; a quote contains no character that is special in any shell. */
const PIECES: readonly (readonly [RegExp, "bare" | "quoted" | "glob"])[] = [
  [/[\w@%+=:,./-]+/y, "bare"],
  // HEAD~1: a shell expands ~ only at the beginning of a word or after : and =.
  [/(?<=[\w./-])~(?=\d)/y, "bare"],
  [/[*?]/y, "glob"],
  // fish accepts a backslash before the quote.
  [/'((?:[^'\\]|\\(?!'))*)'/y, "quoted"],
  [/"([^"$`\\!]*)"/y, "quoted"],
];

/** Whether a word needs no quotes in a shell line. */
export function isPlain(word: string): boolean {
  return PLAIN.test(word) && !meansMore(word);
}

/** Parses a line into a list of commands. */
export function readLine(line: string): Read {
  if (line.length > LONGEST) return { ok: false, what: "a command of that length" };
  if (/[^\P{C}\t]|[\u2028\u2029]/u.test(line))
    return { ok: false, what: "a line break or control character" };
  const commands: Command[] = [];
  let words: Word[] = [];
  let redirects: Redirect[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found === null) return null;
    at += found[0].length;
    return found[1] ?? found[0];
  };
  const word = (): Word | null => takeWord(take);

  take(BLANK);
  while (at < line.length) {
    const separator = take(SEPARATOR);
    if (separator !== null) {
      if (words.length === 0) return unknown(line, at - separator.length);
      commands.push({ words, redirects, next: separator as Separator });
      [words, redirects] = [[], []];
      continue;
    }
    const start = at;
    if (take(DUPLICATE) === null) {
      const redirect = take(REDIRECT);
      const found = word();
      if (found === null) return unknown(line, at);
      if (redirect === null) words.push(found);
      else if (found.glob) return unknown(line, start);
      else redirects.push({ to: redirect.startsWith("<") ? "read" : "write", path: found.text });
    }
    // Anything directly after a word must be a separator.
    if (take(BLANK) === null && at < line.length && !/[;|&]/.test(line[at] ?? "")) return unknown(line, at);
  }
  if (words.length > 0) commands.push({ words, redirects, next: null });
  else if (redirects.length > 0 || commands.at(-1)?.next !== ";")
    return { ok: false, what: "an incomplete line" };
  return { ok: true, commands };
}

function takeWord(take: (pattern: RegExp) => string | null): Word | null {
  let text: string | null = null;
  let bare = "";
  let glob = false;
  for (;;) {
    const piece = takePiece(take);
    if (piece === null) break;
    text = (text ?? "") + piece.text;
    bare += piece.kind === "quoted" ? "x" : piece.text;
    glob ||= piece.kind === "glob";
  }
  if (text === null || meansMore(bare)) return null;
  return { text, glob };
}

function takePiece(take: (pattern: RegExp) => string | null) {
  for (const [pattern, kind] of PIECES) {
    const text = take(pattern);
    if (text !== null) return { text, kind };
  }
  return null;
}

/** zsh expands `=name` to the path of a program. */
function meansMore(bare: string): boolean {
  return bare.startsWith("=");
}

function unknown(line: string, at: number): Read {
  return { ok: false, what: `the part "${line.slice(at, at + 20)}"` };
}
