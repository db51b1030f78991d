import { refuse } from "../fault.js";

/** What XML cannot have: control characters, and halves of a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const IMPOSSIBLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u;

/** Whether XML can hold a text. */
export function isXmlText(text: string): boolean {
  return !IMPOSSIBLE.test(text);
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a part. Everything that is not UTF-8 is refused: two readers could read it differently. */
export function decodeXml(bytes: Uint8Array, part: string): string {
  const [first = 0, second = 0] = bytes;
  if (bytes.length === 0) refuse("DOCX_XML_DAMAGED", { part, reason: "it is empty" });
  const isWide = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  if (isWide || first === 0 || second === 0) refuse("DOCX_XML_ENCODING", { part });
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    return refuse("DOCX_XML_ENCODING", { part });
  }
  const [, declared] = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(text.slice(0, 256)) ?? [];
  if (declared !== undefined && !/^(utf-?8|us-ascii)$/i.test(declared)) refuse("DOCX_XML_ENCODING", { part });
  if (!isXmlText(text))
    refuse("DOCX_XML_DAMAGED", { part, reason: "it has a character that XML cannot have" });
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Resolves references to characters. There are no entities of a document's own. */
export function decodeText(raw: string, part: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(/&([^;&\s]{0,64};?)/g, (all, reference: string) => {
    const name = reference.slice(0, -1);
    if (!reference.endsWith(";"))
      refuse("DOCX_XML_DAMAGED", { part, reason: `${JSON.stringify(all)} is no reference` });
    const [, decimal, hexadecimal] = /^#(?:(\d{1,7})|x([\da-f]{1,6}))$/i.exec(name) ?? [];
    if (decimal !== undefined) return character(Number.parseInt(decimal, 10), part);
    if (hexadecimal !== undefined) return character(Number.parseInt(hexadecimal, 16), part);
    return NAMED[name] ?? refuse("DOCX_XML_ENTITY", { part, entity: all });
  });
}

function character(code: number, part: string): string {
  const isAllowed =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code < 0xd800) ||
    (code > 0xdfff && code < 0xfffe) ||
    (code > 0xffff && code <= 0x10ffff);
  if (!isAllowed)
    refuse("DOCX_XML_DAMAGED", { part, reason: "it refers to a character that XML cannot have" });
  return String.fromCodePoint(code);
}
