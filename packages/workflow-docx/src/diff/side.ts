import { createHash } from "node:crypto";
import { type Document, type Relationship, relatedPart, relationshipsOf, treeOf } from "../document.js";
import { type Atom, brief, formatKey, groupsOf, readParagraph } from "../inline.js";
import {
  attribute,
  childOf,
  childrenOf,
  elementsOf,
  isElement,
  type XmlElement,
  type XmlNode,
} from "../xml.js";
import { expandSimple } from "./mark.js";

/** One of the two documents, with keys by which its pieces are compared with the other's. */
export type Side = {
  readonly document: Document;
  readonly relationships: ReadonlyMap<string, Relationship>;
  /** A list by its number: its definition, or the number itself where both documents define them equally. */
  readonly list: (number: string) => string;
  readonly keys: WeakMap<XmlElement, string>;
  readonly paragraphs: WeakMap<XmlElement, string>;
  /** Of links and notes, and of the properties of a block. */
  readonly links: WeakMap<XmlElement, string>;
  readonly properties: WeakMap<XmlElement, string>;
};

const noKeys = () => ({
  keys: new WeakMap<XmlElement, string>(),
  paragraphs: new WeakMap<XmlElement, string>(),
  links: new WeakMap<XmlElement, string>(),
  properties: new WeakMap<XmlElement, string>(),
});

/** A key that is made once, and is short. */
export function kept<T extends object>(keys: WeakMap<T, string>, of: T, make: () => string): string {
  const known = keys.get(of);
  if (known !== undefined) return known;
  const key = brief(make());
  keys.set(of, key);
  return key;
}

export function sideOf(document: Document, lists: Lists): Side {
  return {
    document,
    relationships: relationshipsOf(document, document.main),
    list: lists === "numbers" ? (number) => number : listsOf(document),
    ...noKeys(),
  };
}

/** What lists are compared by: their numbers where both documents define them equally, else their definitions. */
export type Lists = "numbers" | "definitions";

export function listsBetween(old: Document, now: Document): Lists {
  const [a, b] = [numbering(old), numbering(now)];
  return a !== null && b !== null && Buffer.from(a).equals(Buffer.from(b)) ? "numbers" : "definitions";
}

function numbering(document: Document): Uint8Array | null {
  const part = relatedPart(document, "numbering");
  return part === null ? null : (document.parts.get(part) ?? null);
}

/** The definition of a list, without the numbers by which its parts refer to each other. */
export function listsOf(document: Document): (number: string) => string {
  const part = relatedPart(document, "numbering");
  if (part === null) return (number) => number;
  const root = treeOf(document, part);
  const lists = byId(root, "w:num", "w:numId");
  const definitions = byId(root, "w:abstractNum", "w:abstractNumId");
  const known = new Map<string, string>();
  return (number) => {
    const found = known.get(number);
    if (found !== undefined) return found;
    const list = lists.get(number);
    const reference = list === undefined ? null : childOf(list, "w:abstractNumId");
    const id = reference === null ? null : attribute(reference, "w:val");
    const definition = definitions.get(id ?? "");
    const overrides = list === undefined ? [] : childrenOf(list, "w:lvlOverride");
    const parts = [...(definition === undefined ? [] : elementsOf(definition)), ...overrides];
    const levels = parts.filter(({ name }) => !/^w:(nsid|tmpl)$/.test(name));
    const key = list === undefined ? "none" : brief(levels.map((one) => plainKey(one, null)).join(""));
    known.set(number, key);
    return key;
  };
}

/** Names that differ between two equal documents, since each program that saves one makes new ones. */
const NOISE = /^(w:rsid\w*|w14:(paraId|textId)|wp14:(anchorId|editId)|xml:space|xmlns(:.*)?)$/;

/** What no reader sees. */
const UNSEEN = new Set([
  "w:lang",
  "w:noProof",
  "w:proofErr",
  "w:lastRenderedPageBreak",
  "w:bookmarkStart",
  "w:bookmarkEnd",
]);

/** Equal for two elements that mean the same, each in its document. `null`: one that refers to nothing. */
export function plainKey(of: XmlElement, side: Side | null): string {
  const known = side?.keys.get(of);
  if (known !== undefined) return known;
  let key = `<${of.name}`;
  const isDrawingId = of.name === "wp:docPr" || of.name === "pic:cNvPr";
  for (let at = 0; at < of.attributes.length; at += 2) {
    const name = of.attributes[at] ?? "";
    if (NOISE.test(name) || (isDrawingId && (name === "id" || name === "name"))) continue;
    key += ` ${name}=${JSON.stringify(valueKey(of, name, of.attributes[at + 1] ?? "", side))}`;
  }
  key += ">";
  for (const child of of.children) {
    if (typeof child === "string") key += child;
    else if (!UNSEEN.has(child.name)) key += plainKey(child, side);
  }
  key = brief(`${key}/`);
  side?.keys.set(of, key);
  return key;
}

function valueKey(of: XmlElement, name: string, value: string, side: Side | null): string {
  if (side === null) return value;
  if (name.startsWith("r:")) {
    // Headers and footers are compared by themselves.
    if (of.name === "w:headerReference" || of.name === "w:footerReference") return "";
    const related = side.relationships.get(value);
    return related === undefined ? value : relationshipKey(related, side.document);
  }
  if (of.name === "w:numId" && name === "w:val") return side.list(value);
  const kind = NOTES[of.name];
  if (kind !== undefined && name === "w:id") return noteKey(side.document, kind, value);
  return value;
}

/** A link is where it leads to, a picture its bytes. */
export function relationshipKey(of: Relationship, document: Document): string {
  const { kind, target, isExternal } = of;
  return kept(relations, of, () => `${kind} ${isExternal ? target : contentKey(document.parts.get(target))}`);
}

/** Each is of one document. */
const relations = new WeakMap<Relationship, string>();

const contents = new WeakMap<Uint8Array, string>();

function contentKey(content: Uint8Array | undefined): string {
  if (content === undefined) return "missing";
  const known = contents.get(content) ?? createHash("sha256").update(content).digest("hex");
  contents.set(content, known);
  return known;
}

/** References to notes, and the parts with them. */
export const NOTES: Readonly<Record<string, "footnotes" | "endnotes">> = {
  "w:footnoteReference": "footnotes",
  "w:endnoteReference": "endnotes",
};

export function noteOf(document: Document, kind: "footnotes" | "endnotes", id: string): XmlElement | null {
  const part = relatedPart(document, kind);
  const name = kind === "footnotes" ? "w:footnote" : "w:endnote";
  if (part === null) return null;
  const root = treeOf(document, part);
  const known = notes.get(root) ?? byId(root, name, "w:id");
  notes.set(root, known);
  return known.get(id) ?? null;
}

const notes = new WeakMap<XmlElement, ReadonlyMap<string, XmlElement>>();

/** The first child with each id. */
function byId(root: XmlElement, name: string, id: string): ReadonlyMap<string, XmlElement> {
  const found = new Map<string, XmlElement>();
  for (const one of childrenOf(root, name)) {
    const own = attribute(one, id) ?? "";
    if (!found.has(own)) found.set(own, one);
  }
  return found;
}

function noteKey(document: Document, kind: "footnotes" | "endnotes", id: string): string {
  const note = noteOf(document, kind, id);
  if (note === null) return "missing";
  const side = noteSide(document, kind);
  return kept(side.links, note, () =>
    note.children.map((one) => (isElement(one) ? plainKey(one, side) : one)).join(""),
  );
}

const noteSides = new WeakMap<Document, Map<string, Side>>();

/** What notes refer to, they refer to by the relationships of their own part. */
function noteSide(document: Document, kind: "footnotes" | "endnotes"): Side {
  const known = noteSides.get(document) ?? new Map<string, Side>();
  noteSides.set(document, known);
  const part = relatedPart(document, kind) ?? "";
  const side = known.get(kind) ?? {
    document,
    relationships: relationshipsOf(document, part),
    list: listsOf(document),
    ...noKeys(),
  };
  known.set(kind, side);
  return side;
}

/** A link without what it is around. */
export function linkKey(link: XmlElement | null, side: Side): string {
  return link === null ? "" : kept(side.links, link, () => plainKey({ ...link, children: [] }, side));
}

/** Of anything but a text and a marker. */
export function objectKey({ nodes, format, inRun, link }: Atom, side: Side): string {
  const inner = nodes.flatMap((node): readonly XmlNode[] =>
    isElement(node) && node.name === "w:fldSimple" ? expandSimple(node) : [node],
  );
  const content = inner.map((node) => {
    if (!isElement(node)) return node;
    return UNSEEN.has(node.name) ? "" : plainKey(node, side);
  });
  return `${inRun ? formatKey(format) : ""}${linkKey(link, side)}${content.join("")}`;
}

/** Properties of a paragraph, without those of its end. */
export function propertiesKey(paragraph: XmlElement, side: Side): string {
  const properties = childOf(paragraph, "w:pPr");
  if (properties === null) return "";
  return kept(side.properties, properties, () =>
    properties.children
      .map((one) =>
        isElement(one) && one.name !== "w:rPr" && one.name !== "w:pPrChange" ? plainKey(one, side) : "",
      )
      .join(""),
  );
}

/** A paragraph as its reader sees it, however it is cut into runs. */
function paragraphKey(paragraph: XmlElement, side: Side): string {
  return kept(side.paragraphs, paragraph, () => paragraphText(paragraph, side));
}

function paragraphText(paragraph: XmlElement, side: Side): string {
  const seen = readParagraph(paragraph).filter(
    ({ kind, text }) => kind !== "marker" && (kind !== "text" || text !== ""),
  );
  const styleOf = (atom: Atom): string => `${formatKey(atom.format)}${linkKey(atom.link, side)}`;
  const isText = (a: Atom, b: Atom): boolean =>
    a.kind === "text" && b.kind === "text" && styleOf(a) === styleOf(b);
  const pieces = groupsOf(seen, isText).map((group) => {
    const [first] = group;
    if (first?.kind !== "text") return group.map((atom) => `o${objectKey(atom, side)}`).join("");
    return `t${styleOf(first)}|${group.map(({ text }) => text).join("")}`;
  });
  return `${propertiesKey(paragraph, side)}\n${pieces.join("\n")}`;
}

const HOLDERS = new Set(["w:tbl", "w:tr", "w:tc", "w:sdt", "w:sdtContent", "w:customXml"]);

/** Marks among blocks, which are not compared. */
const MARKS = /^w:(bookmark|commentRange|proofErr|perm)/;

/** LibreOffice writes them, and they say the same as none. */
function isEmptyProperties({ name, children }: XmlElement): boolean {
  return children.length === 0 && /^w:(trPr|tcPr|tblPrEx)$/.test(name);
}

/** A paragraph, a table, or what else holds paragraphs. */
export function blockKey(of: XmlElement, side: Side): string {
  if (of.name === "w:p") return paragraphKey(of, side);
  if (!HOLDERS.has(of.name)) return plainKey(of, side);
  return kept(side.paragraphs, of, () => {
    const inner = of.children.flatMap((one) =>
      isElement(one) && !MARKS.test(one.name) && !isEmptyProperties(one) ? [blockKey(one, side)] : [],
    );
    return `<${of.name}>${inner.join("\u0000")}`;
  });
}

/** Properties of something that holds paragraphs. */
export function partKey(of: XmlElement, names: readonly string[], side: Side): string {
  return names
    .map((name) => childOf(of, name))
    .map((one) => (one === null || isEmptyProperties(one) ? "" : plainKey(one, side)))
    .join("|");
}
