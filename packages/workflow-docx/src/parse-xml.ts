import { refuse } from "./fault.js";
import { LIMITS } from "./limits.js";
import type { XmlElement, XmlNode } from "./xml.js";

/** What XML cannot have: control characters, and halves of a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const IMPOSSIBLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u;

/** Whether XML can hold a text. */
export function isXmlText(text: string): boolean {
  return !IMPOSSIBLE.test(text);
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a part. Everything that is not UTF-8 is refused: two readers could read it differently. */
function decodeXml(bytes: Uint8Array, part: string): string {
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

type Open = { readonly name: string; readonly attributes: readonly string[]; readonly children: XmlNode[] };

const NO_ATTRIBUTES: readonly string[] = [];
const NAME = /[^\s/>="'<&]+/y;
const ATTRIBUTE = /\s+([^\s/>="'<&]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;
/**
 * Properties of runs and paragraphs: few different ones, written out for each run. Equal ones become one element, since
 * trees are never changed. In bytes, what a run's properties have at most that is worth remembering.
 */
const SHARED = new Set(["w:rPr", "w:pPr"]);
const SHARED_LENGTH = 2000;
const CLOSING = /([^\s/>="'<&]+)\s*>/y;

/**
 * What these prefixes always mean. Names are compared with their prefix, so a document in which `w` is something else is
 * refused: our checks would not see what a word processor does. Another prefix that the root element gives one of these
 * meanings is read as the usual one (parts that pandoc makes have `ns0`); further inside it is refused.
 */
const PREFIXES: Readonly<Record<string, RegExp>> = {
  w: /^(http:\/\/schemas\.openxmlformats\.org\/wordprocessingml\/2006\/main|http:\/\/purl\.oclc\.org\/ooxml\/wordprocessingml\/main)$/,
  r: /^(http:\/\/schemas\.openxmlformats\.org\/officeDocument\/2006\/relationships|http:\/\/purl\.oclc\.org\/ooxml\/officeDocument\/relationships)$/,
  o: /^urn:schemas-microsoft-com:office:office$/,
  v: /^urn:schemas-microsoft-com:vml$/,
};

/** Parses a part, and refuses what a reader of XML could be attacked with. Throws `Refused`. */
export function parseXml(bytes: Uint8Array, part: string): XmlElement {
  const text = decodeXml(bytes, part);
  assertFewElements(text, part);
  const damaged = (reason: string): never => refuse("DOCX_XML_DAMAGED", { part, reason });
  const names = new Map<string, string>();
  const intern = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const colon = name.indexOf(":");
    const usual = colon === -1 ? undefined : prefixes.get(name.slice(0, colon));
    const own = usual === undefined ? name : usual + name.slice(colon);
    names.set(name, own);
    return own;
  };
  /** Other prefixes of the root element, and the usual ones. */
  const prefixes = new Map<string, string>();
  const shared = new Map<string, XmlElement>();
  /** Where the properties that are open begin, innermost last. */
  const begun: number[] = [];
  const top: Open = { name: "", attributes: NO_ATTRIBUTES, children: [] };
  const stack: Open[] = [top];
  let current = top;
  let at = 0;
  while (at < text.length) {
    const tag = text.indexOf("<", at);
    const end = tag === -1 ? text.length : tag;
    if (end > at) addText(text.slice(at, end));
    if (tag === -1) break;
    const mark = text.charCodeAt(tag + 1);
    if (mark === 0x2f) at = close(tag + 2);
    else if (mark === 0x21) at = declaration(tag);
    else if (mark === 0x3f) at = after("?>", tag);
    else at = open(tag + 1);
  }
  const [root, ...others] = top.children;
  if (stack.length > 1) damaged(`<${current.name}> is not closed`);
  if (root === undefined || typeof root === "string" || others.length > 0)
    return damaged("it is not one element");
  return root;

  function addText(raw: string): void {
    if (current !== top) current.children.push(decodeText(raw, part));
    else if (raw.trim() !== "") damaged("there is text outside of the root element");
  }

  function after(what: string, from: number): number {
    const found = text.indexOf(what, from);
    return found === -1 ? damaged(`${what} is missing`) : found + what.length;
  }

  function declaration(from: number): number {
    if (text.startsWith("<!--", from)) return after("-->", from + 4);
    if (text.startsWith("<![CDATA[", from)) {
      const next = after("]]>", from);
      if (current === top) damaged("there is text outside of the root element");
      current.children.push(text.slice(from + 9, next - 3));
      return next;
    }
    if (/^<!DOCTYPE/i.test(text.slice(from, from + 9))) refuse("DOCX_XML_DTD", { part });
    return damaged("it has a declaration that is not known");
  }

  function open(from: number): number {
    NAME.lastIndex = from;
    const [raw] = NAME.exec(text) ?? damaged("a < stands where no element begins");
    const isRoot = current === top;
    let name = intern(raw);
    if (SHARED.has(name)) {
      const known = knownAt(from - 1, raw);
      if (known !== null) return known;
    }
    let next = from + raw.length;
    let attributes: string[] = [];
    for (;;) {
      ATTRIBUTE.lastIndex = next;
      const found = ATTRIBUTE.exec(text);
      if (found === null) break;
      addAttribute(attributes, isRoot, intern(found[1] ?? ""), decodeText(found[2] ?? found[3] ?? "", part));
      next = ATTRIBUTE.lastIndex;
    }
    if (isRoot && prefixes.size > 0) {
      names.clear();
      name = intern(name);
      attributes = withUsualNames(attributes);
    }
    TAG_END.lastIndex = next;
    const [ending, empty] = TAG_END.exec(text) ?? damaged(`<${name}> does not end`);
    if (stack.length > LIMITS.depth) refuse("DOCX_XML_DEPTH", { part, limit: LIMITS.depth });
    const opened: Open = {
      name,
      attributes: attributes.length === 0 ? NO_ATTRIBUTES : attributes,
      children: [],
    };
    current.children.push(opened);
    if (empty === "") {
      if (SHARED.has(name)) begun.push(from - 1);
      stack.push(opened);
      current = opened;
    }
    return next + ending.length;
  }

  function addAttribute(attributes: string[], isRoot: boolean, name: string, value: string): void {
    if (attributes.length >= 2 * LIMITS.attributes)
      damaged(`it has more than ${LIMITS.attributes} attributes in one element`);
    for (let index = 0; index < attributes.length; index += 2)
      if (attributes[index] === name) damaged(`it has the attribute ${name} twice in one element`);
    attributes.push(name, value);
    if (name === "xmlns" || name.startsWith("xmlns:")) addPrefix(name.slice("xmlns:".length), value, isRoot);
  }

  function addPrefix(prefix: string, namespace: string, isRoot: boolean): void {
    if (!isRoot && prefixes.has(prefix)) refuse("DOCX_XML_NAMESPACE", { part, prefix });
    for (const [usual, meaning] of Object.entries(PREFIXES)) {
      if ((prefix === usual) === meaning.test(namespace)) continue;
      if (prefix === usual || prefix === "" || !isRoot) refuse("DOCX_XML_NAMESPACE", { part, prefix });
      prefixes.set(prefix, usual);
    }
  }

  /** The attributes of the root element, with its other prefixes declared as the usual ones. */
  function withUsualNames(attributes: readonly string[]): string[] {
    const usual = new Map<string, string>();
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at] ?? "";
      const known = name.startsWith("xmlns:") ? prefixes.get(name.slice("xmlns:".length)) : undefined;
      const own = known === undefined ? intern(name) : `xmlns:${known}`;
      if (known === undefined && usual.has(own) && own !== name)
        damaged(`it has the attribute ${own} twice in one element`);
      usual.set(own, attributes[at + 1] ?? "");
    }
    return [...usual].flat();
  }

  function close(from: number): number {
    CLOSING.lastIndex = from;
    const [all, name] = CLOSING.exec(text) ?? damaged("a closing tag does not end");
    if (intern(name ?? "") !== current.name || current === top) damaged(`</${name}> closes nothing`);
    const closed = current;
    stack.pop();
    current = stack.at(-1) ?? top;
    const end = from + all.length;
    const start = SHARED.has(closed.name) ? begun.pop() : undefined;
    if (start !== undefined && end - start <= SHARED_LENGTH) shared.set(text.slice(start, end), closed);
    return end;
  }

  /** Takes properties over from where they stood before; gives the place behind them. */
  function knownAt(start: number, name: string): number | null {
    const closing = `</${name}>`;
    const near = text.slice(start, start + SHARED_LENGTH);
    const found = near.indexOf(closing);
    // With others inside of them, this is only their beginning, and there is none like it.
    const known = found === -1 ? undefined : shared.get(near.slice(0, found + closing.length));
    if (known === undefined) return null;
    current.children.push(known);
    return start + found + closing.length;
  }
}

/** Before the tree is made, which takes a hundred bytes for each. A `<` in a comment counts, and no harm is done. */
function assertFewElements(text: string, part: string): void {
  let elements = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1))
    if (text.charCodeAt(at + 1) !== 0x2f) elements++;
  if (elements > LIMITS.elements) refuse("DOCX_XML_LARGE", { part, limit: LIMITS.elements });
}
