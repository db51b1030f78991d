// A text as its readers see it. Encoders differ in what they escape and nest in each other, so the escapes of the text are
// read, rather than every way of escaping a secret written down: what is left to find is a handful of spellings.

/** `plain` has no escapes; the others are made of it: without what parts digits of Base64, hexadecimal ones, numbers. */
export const VIEWS = ["raw", "plain", "base64", "hex", "numbers"] as const;

export type ViewName = (typeof VIEWS)[number];

/** A text, and where each of its characters begins and ends in the original. */
export type View = {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};

/** JSON inside of JSON needs one, since it only adds backslashes; JSON in a URL in HTML three. */
const PASSES = 4;

const HEX = "[0-9a-fA-F]";
const BACKSLASHES = "\\\\{1,64}";
const BYTE = `(?:${BACKSLASHES}x|%)`;

/** However many backslashes stand before a character, they only quote it: they are dropped, those of a secret too. */
const ESCAPE = new RegExp(
  [
    `${BYTE}(?:[c-fC-F]${HEX}(?:${BYTE}[89abAB]${HEX}){1,3}|${HEX}{2})`,
    `${BACKSLASHES}(?:u${HEX}{4}|u\\{0{0,5}${HEX}{1,6}\\}|U${HEX}{8}|[^])?`,
    `&(?:#0{0,5}\\d{1,7}|#[xX]0{0,5}${HEX}{1,6}|amp|lt|gt|quot|apos|bsol);`,
  ].join("|"),
  "g",
);

/** What the end of a text may cut an escape off from, in any depth. */
const UNFINISHED = /[\\%&][\w#{};%&\\]*$/;

/** Characters of the longest escape that is known to mean something. */
const LONGEST_ESCAPE = 128;

const SHORT: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  bsol: "\\",
};

function readEscape(written: string): string {
  if (written.startsWith("&")) return readEntity(written.slice(1, -1));
  const behind = written.replace(/^\\+/, "");
  if (behind.length < 2) return SHORT[behind] ?? behind;
  const code = /^[uU]\{?([\da-fA-F]+)\}?$/.exec(behind)?.[1];
  if (code !== undefined) return characterOf(Number.parseInt(code, 16));
  const bytes = [...written.matchAll(/[x%]([\da-fA-F]{2})/g)].map(([, byte = ""]) =>
    Number.parseInt(byte, 16),
  );
  return Buffer.from(bytes).toString("utf8");
}

function readEntity(name: string): string {
  if (!name.startsWith("#")) return ENTITIES[name] ?? "";
  return characterOf(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
}

function characterOf(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

type Change<V> = (view: V, pattern: RegExp, put: (found: string) => string) => V;

/** All views of one text, made by a function that replaces in it. */
function makeViews<V>(raw: V, change: Change<V>): Readonly<Record<ViewName, V>> {
  let plain = raw;
  for (let pass = 0; pass < PASSES; pass += 1) plain = change(plain, ESCAPE, readEscape);
  // Forms write a blank as `+`, and Windows a line's end in two characters.
  plain = change(plain, /\+|\r\n?/g, (found) => (found === "+" ? " " : "\n"));
  return {
    raw,
    plain,
    // Broken into lines, which may be indented; for URLs two digits are others.
    base64: change(plain, /\n[ \t]*|[-_ ]/g, (found) => BASE64_DIGITS[found] ?? ""),
    // `73:6b`, `73 6b`, `73-6b`, `0x73, 0x6b`
    hex: change(plain, /,? ?0x|[ :-]|\n[ \t]*|[A-F]/g, (found) =>
      /^[A-F]$/.test(found) ? found.toLowerCase() : "",
    ),
    // What `JSON.stringify` makes of a Node.js buffer, and Go and Rust print of bytes.
    numbers: change(plain, /,?(?:\n[ \t]*){1,2}|, | /g, () => ","),
  };
}

const BASE64_DIGITS: Readonly<Record<string, string>> = { "-": "+", " ": "+", _: "/" };

export function viewsOf(text: string): Readonly<Record<ViewName, View>> {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return makeViews({ text, starts, ends: starts.map((at) => at + 1) }, replaceMapped);
}

/** The texts alone, which take less time and memory. */
export function viewTextsOf(text: string): Readonly<Record<ViewName, string>> {
  return makeViews(text, (view, pattern, put) => view.replace(pattern, put));
}

function replaceMapped(view: View, pattern: RegExp, put: (found: string) => string): View {
  const [texts, starts, ends]: [string[], number[], number[]] = [[], [], []];
  let from = 0;
  const copyTo = (end: number): void => {
    texts.push(view.text.slice(from, end));
    for (let at = from; at < end; at += 1) {
      starts.push(view.starts[at] ?? 0);
      ends.push(view.ends[at] ?? 0);
    }
  };
  for (const found of view.text.matchAll(pattern)) {
    copyTo(found.index);
    from = found.index + found[0].length;
    const text = put(found[0]);
    texts.push(text);
    for (let count = text.length; count > 0; count -= 1) {
      starts.push(view.starts[found.index] ?? 0);
      ends.push(view.ends[from - 1] ?? 0);
    }
  }
  if (from === 0) return view;
  copyTo(view.text.length);
  return { text: texts.join(""), starts, ends };
}

/** Where the last escape begins that the text's end may cut off; the text's length, if there is none. */
export function settledEnd({ raw, plain }: Readonly<Record<ViewName, View>>): number {
  const { length } = raw.text;
  const tail = raw.text.slice(-LONGEST_ESCAPE);
  const cut = UNFINISHED.exec(tail);
  if (cut === null) return length;
  const at = length - tail.length + cut.index;
  return Math.min(at, plain.starts[settledCount(plain, at)] ?? at);
}

/** How many characters of a view end before a place in the original. */
export function settledCount({ ends }: View, place: number): number {
  let count = ends.length;
  while (count > 0 && (ends[count - 1] ?? 0) > place) count -= 1;
  return count;
}
