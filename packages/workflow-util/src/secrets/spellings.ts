import { VIEWS, type ViewName, viewTextsOf } from "./views.js";

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
    plain: raw.map((text) => viewTextsOf(text).plain),
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
