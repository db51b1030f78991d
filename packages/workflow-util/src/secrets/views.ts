// A text as its readers see it. Encoders differ in what they escape and nest in each other, so the escapes of the text are
// read, rather than every way of escaping a secret written down: what is left to find is a handful of spellings.

/** `plain` has no escapes; the others are made of it: without what parts digits of Base64, hexadecimal ones, numbers. */
export const VIEWS = ["raw", "plain", "base64", "hex", "numbers"] as const;

export type ViewName = (typeof VIEWS)[number];

/** A text, and where the character at an index of it begins and ends in the original. */
export type View = {
  readonly text: string;
  readonly start: (index: number) => number;
  readonly end: (index: number) => number;
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

/** All views of one text. */
export function viewsOf(text: string): Readonly<Record<ViewName, View>> {
  const raw: View = { text, start: (index) => index, end: (index) => index + 1 };
  let plain = raw;
  for (let pass = 0; pass < PASSES; pass += 1) plain = replaceIn(plain, ESCAPE, readEscape);
  // Forms write a blank as `+`, and Windows a line's end in two characters.
  plain = replaceIn(plain, /\+|\r\n?/g, (found) => (found === "+" ? " " : "\n"));
  return {
    raw,
    plain,
    // Broken into lines, which may be indented; for URLs two digits are others.
    base64: replaceIn(plain, /\n[ \t]*|[-_ ]/g, (found) => BASE64_DIGITS[found] ?? ""),
    // `73:6b`, `73 6b`, `73-6b`, `0x73, 0x6b`
    hex: replaceIn(plain, /,? ?0x|[ :-]|\n[ \t]*|[A-F]/g, (found) =>
      /^[A-F]$/.test(found) ? found.toLowerCase() : "",
    ),
    // What `JSON.stringify` makes of a Node.js buffer, and Go and Rust print of bytes.
    numbers: replaceIn(plain, /,?(?:\n[ \t]*){1,2}|, | /g, () => ","),
  };
}

const BASE64_DIGITS: Readonly<Record<string, string>> = { "-": "+", " ": "+", _: "/" };

/** Only where a replacement changed the length has a character moved: to know that of each would take most of the time. */
function replaceIn(view: View, pattern: RegExp, put: (found: string) => string): View {
  const moves: Move[] = [];
  let shift = 0;
  const text = view.text.replace(pattern, (found: string, from: number) => {
    const written = put(found);
    if (written.length === found.length) return written;
    moves.push({ at: from + shift, length: written.length, from, to: from + found.length });
    shift += written.length - found.length;
    return written;
  });
  if (text === view.text) return view;
  const place = (index: number, end: boolean): number => {
    const move = lastBefore(moves, index);
    const inside = move !== undefined && index < move.at + move.length;
    if (inside) return end ? view.end(move.to - 1) : view.start(move.from);
    const old = move === undefined ? index : index - move.at - move.length + move.to;
    return end ? view.end(old) : view.start(old);
  };
  return { text, start: (index) => place(index, false), end: (index) => place(index, true) };
}

/** A replacement: where it begins and how long it is, and what it has replaced. */
type Move = { readonly at: number; readonly length: number; readonly from: number; readonly to: number };

function lastBefore(moves: readonly Move[], index: number): Move | undefined {
  let [low, high] = [0, moves.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle]?.at ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return moves[low - 1];
}

/** Where the last escape begins that the text's end may cut off; the text's length, if there is none. */
export function settledEnd({ raw, plain }: Readonly<Record<ViewName, View>>): number {
  const { length } = raw.text;
  const tail = raw.text.slice(-LONGEST_ESCAPE);
  const cut = UNFINISHED.exec(tail);
  if (cut === null) return length;
  const at = length - tail.length + cut.index;
  const count = settledCount(plain, at);
  return count < plain.text.length ? Math.min(at, plain.start(count)) : at;
}

/** How many characters of a view end before a place in the original. */
export function settledCount({ text, end }: View, place: number): number {
  let count = text.length;
  while (count > 0 && end(count - 1) > place) count -= 1;
  return count;
}

/** A value that must not be shown, and the name of the variable that holds it. */
export type Secret = { readonly name: string; readonly value: string };

/** A secret as it stands in one of the views of a text. */
export type Spelling = { readonly name: string; readonly view: ViewName; readonly text: string };

/** A shorter piece of Base64 would be found by chance. */
const SHORTEST_BASE64 = 8;

/** The same for bytes as digits and numbers. */
const SHORTEST_BYTES = 6;

/** A line of a secret of several lines (a private key) that is a secret by itself; indented, it is still found. */
const SHORTEST_LINE = 16;

/** The spellings of a secret in each view. */
export function spellingsOf({ name, value: given }: Secret): readonly Spelling[] {
  const value = given.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
  const trimmed = value.trim();
  const raw = [value, trimmed, ...linesOf(value)];
  const bytes = Buffer.from(trimmed);
  const isLong = bytes.length >= SHORTEST_BYTES;
  const texts: Readonly<Record<ViewName, readonly string[]>> = {
    // Backslashes at the end are left alone: they show nothing, and in JSON the next character may need them.
    raw: raw.map((text) => text.replace(/\\+$/, "")),
    plain: raw.map((text) => viewsOf(text).plain.text),
    base64: embeddedIn(trimmed).flatMap(base64Of),
    hex: isLong ? [bytes.toString("hex")] : [],
    numbers: isLong ? [bytes.join(",")] : [],
  };
  return VIEWS.flatMap((view) => [...new Set(texts[view])].map((text) => ({ name, view, text }))).filter(
    ({ text }) => text !== "",
  );
}

function linesOf(value: string): readonly string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
}

/** What is put into Base64 as a part of something: as it is, in JSON, in a URL (`client_id:client_secret`). */
function embeddedIn(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  return [...new Set([text, quoted, quoted.replaceAll("/", "\\/"), encodeURIComponent(text)])];
}

/**
 * Base64 turns three bytes into four characters, so a text has one of three encodings, depending on the number of
 * bytes before it (`user:` before a password). The characters at both ends contain bits of its neighbours too and
 * are left out.
 */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 4) / 3);
    const to = Math.floor(((before + bytes.length) * 4) / 3);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(from, to);
  });
  return encoded.filter((each) => each.length >= SHORTEST_BASE64);
}
