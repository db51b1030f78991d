import type { Form, Unit } from "./types.js";
import { createUnits } from "./units.js";

/** A shorter piece of Base64 would be found by chance. */
const SHORTEST_BASE64 = 8;

/** The same for bytes as digits and numbers. */
const SHORTEST_BYTES = 6;

/** A line of a secret of several lines (a private key) that is a secret by itself; indented, it is still found. */
const SHORTEST_LINE = 16;

/** So many characters of a secret's end show nothing. */
const HARMLESS_END = 3;

/** The end of a line, in JSON and in a URL too. */
const BREAK = "(?:\\r|\\\\{1,7}r|%0[dD])?(?:\\n|\\\\{1,7}n|%0[aA])[ \\t]{0,32}";

/** Base64 and lists of numbers are broken into lines, which may be indented. */
const BREAKS = new RegExp(`(?:${BREAK}){1,2}`, "y");

/** `73:6b`, `73 6b`, `73-6b`, `0x73, 0x6b` */
const HEX_GAPS = new RegExp(`,? ?0x|[ :-]|(?:${BREAK}){1,2}`, "y");

type Units = ReturnType<typeof createUnits>;

/**
 * The forms in which secrets appear in texts: the characters as they are, and its bytes in Base64 at any position,
 * in hexadecimal digits and as numbers. How each character of a form may be written is decided by its units. Every
 * step of a user with keys pays for this, so redundant forms are not made.
 */
export function createForms(): (name: string, secret: string) => readonly Form[] {
  const unit = createUnits();
  return (name, secret) => formsOf(secret, unit).map((form) => ({ name, ...form }));
}

type Nameless = Omit<Form, "name">;

function formsOf(secret: string, unit: Units): readonly Nameless[] {
  const value = secret.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
  const trimmed = value.trim();
  const plain = [...new Set([value, trimmed, ...linesOf(value)])].map((text) => plainForm(text, unit));
  const base64 = embeddedOf(trimmed).flatMap((text) => base64Forms(text, unit));
  const bytes = Buffer.from(trimmed);
  const digits = bytes.length < SHORTEST_BYTES ? [] : [hexForm(bytes, unit), numbersForm(bytes, unit)];
  return [...plain, ...base64, ...digits].filter(({ head }) => head.length > 0);
}

/** The first three units of a form are within this many characters, except after many backslashes. */
const HEAD = 16;

type Kind = Pick<Form, "gaps" | "harmlessEnd" | "widest">;

/** `units` of a beginning of the text is a beginning of the units. */
function newForm(text: string, kind: Kind, units: (text: string) => readonly Unit[]): Nameless {
  let all: readonly Unit[] | null = null;
  const made = (): readonly Unit[] => {
    all ??= units(text);
    return all;
  };
  return { ...kind, text, head: units(text.slice(0, HEAD)).slice(0, 3), units: made };
}

function linesOf(value: string): readonly string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith("-----"));
}

const PLAIN: Kind = { gaps: null, harmlessEnd: HARMLESS_END, widest: 12 };

/** Backslashes at the end are left alone: they show nothing, and in JSON the next character may need them. */
function plainForm(secret: string, unit: Units): Nameless {
  return newForm(secret.replace(/\\+$/, ""), PLAIN, (text) => {
    const units: Unit[] = [];
    let backslashes = 0;
    for (const character of text) {
      if (character === "\\") backslashes += 1;
      else {
        units.push(unit(ALSO[character] ?? [character], backslashes));
        backslashes = 0;
      }
    }
    return units;
  });
}

/** A form writes a space as `+`; Windows ends lines in two characters. */
const ALSO: Readonly<Record<string, readonly string[]>> = { " ": [" ", "+"], "\n": ["\n", "\r\n"] };

/** What is put into Base64 as a part of something: as it is, in JSON, in a URL (`client_id:client_secret`). */
function embeddedOf(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  return [...new Set([text, quoted, quoted.replaceAll("/", "\\/"), encodeURIComponent(text)])];
}

const BASE64: Kind = { gaps: BREAKS, harmlessEnd: HARMLESS_END + 1, widest: 3 };

/** Base64 for URLs writes two digits otherwise. */
const DIGITS: Readonly<Record<string, readonly string[]>> = { "+": ["+", "-"], "/": ["/", "_"] };

/**
 * Base64 turns three bytes into four characters, so a text has one of three encodings, depending on the number of
 * bytes before it (`user:` before a password). The characters at both ends contain bits of its neighbours too and
 * are left out.
 */
function base64Forms(secret: string, unit: Units): readonly Nameless[] {
  const bytes = Buffer.from(secret);
  const texts = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 4) / 3);
    const to = Math.floor(((before + bytes.length) * 4) / 3);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(from, to);
  });
  return texts
    .filter((text) => text.length >= SHORTEST_BASE64)
    .map((text) =>
      newForm(text, BASE64, (part) => [...part].map((digit) => unit(DIGITS[digit] ?? [digit], 0))),
    );
}

const HEX: Kind = { gaps: HEX_GAPS, harmlessEnd: HARMLESS_END, widest: 4 };

/** Two digits are one unit: nothing parts them. */
function hexForm(bytes: Buffer, unit: Units): Nameless {
  return newForm(bytes.toString("hex"), HEX, (text) =>
    (text.match(/../g) ?? []).map((byte) => unit([...new Set([byte, byte.toUpperCase()])], 0)),
  );
}

const NUMBERS: Kind = { gaps: BREAKS, harmlessEnd: 2 * HARMLESS_END, widest: 8 };

/** What `JSON.stringify` makes of a Node.js buffer, and Go and Rust print of bytes. */
function numbersForm(bytes: Buffer, unit: Units): Nameless {
  return newForm(bytes.join(","), NUMBERS, (text) =>
    text.split(/(,)/).map((part) => unit(part === "," ? [", ", ",", " "] : [part], 0)),
  );
}
