/** Children are elements and texts; comments and processing instructions are not kept. Trees are never changed. */
export type XmlNode = XmlElement | string;

/**
 * An element with its prefix in the name (`w:p`): `parseXml` makes sure that known prefixes mean what they always do.
 * Attributes are names and values in turn, decoded, in the order of the file.
 */
export type XmlElement = {
  readonly name: string;
  readonly attributes: readonly string[];
  readonly children: readonly XmlNode[];
};

export function element(
  name: string,
  attributes: readonly string[],
  children: readonly XmlNode[],
): XmlElement {
  return { name, attributes, children };
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== "string";
}

export function attribute(of: XmlElement, name: string): string | null {
  const { attributes } = of;
  for (let at = 0; at < attributes.length; at += 2)
    if (attributes[at] === name) return attributes[at + 1] ?? "";
  return null;
}

/** The same element with another value of an attribute, which keeps its place; `null` removes it. */
export function withAttribute(of: XmlElement, name: string, value: string | null): XmlElement {
  const attributes: string[] = [];
  let found = false;
  for (let at = 0; at < of.attributes.length; at += 2) {
    const isIt = of.attributes[at] === name;
    found ||= isIt;
    if (isIt && value === null) continue;
    attributes.push(of.attributes[at] ?? "", isIt ? (value ?? "") : (of.attributes[at + 1] ?? ""));
  }
  if (!found && value !== null) attributes.push(name, value);
  return { ...of, attributes };
}

export function withChildren(of: XmlElement, children: readonly XmlNode[]): XmlElement {
  return { name: of.name, attributes: of.attributes, children };
}

export function elementsOf(of: XmlElement): readonly XmlElement[] {
  return of.children.filter(isElement);
}

export function childOf(of: XmlElement, name: string): XmlElement | null {
  for (const child of of.children) if (typeof child !== "string" && child.name === name) return child;
  return null;
}

export function childrenOf(of: XmlElement, name: string): readonly XmlElement[] {
  return elementsOf(of).filter((child) => child.name === name);
}

/** The texts in it, one after the other. */
export function textIn(of: XmlElement): string {
  let text = "";
  for (const child of of.children) text += typeof child === "string" ? child : textIn(child);
  return text;
}

/** Calls `see` with every element of the tree, parents first. */
export function visit(of: XmlElement, see: (one: XmlElement) => void): void {
  see(of);
  for (const child of of.children) if (typeof child !== "string") visit(child, see);
}

/** Every name with its value. */
export function attributesOf(of: XmlElement): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at < of.attributes.length; at += 2)
    pairs.push([of.attributes[at] ?? "", of.attributes[at + 1] ?? ""]);
  return pairs;
}

/** The name without its prefix. */
export function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(":") + 1);
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Characters that become bytes at once: a text of all of them would need several times the memory. */
const CHUNK = 64 * 1024;

/** A part as bytes. */
export function writeXml(root: XmlElement): Uint8Array {
  const chunks: Buffer[] = [];
  let text = DECLARATION;
  write(root, (piece) => {
    text += piece;
    if (text.length < CHUNK) return;
    chunks.push(Buffer.from(text, "utf8"));
    text = "";
  });
  return Buffer.concat([...chunks, Buffer.from(text, "utf8")]);
}

/** An element as text, without declaration. */
export function xmlText(root: XmlElement): string {
  let text = "";
  write(root, (piece) => {
    text += piece;
  });
  return text;
}

function write({ name, attributes, children }: XmlElement, add: (piece: string) => void): void {
  let tag = `<${name}`;
  for (let at = 0; at < attributes.length; at += 2)
    tag += ` ${attributes[at]}="${escapeValue(attributes[at + 1] ?? "")}"`;
  if (children.length === 0) {
    add(`${tag}/>`);
    return;
  }
  add(`${tag}>`);
  for (const child of children) {
    if (typeof child === "string") add(escapeText(child));
    else write(child, add);
  }
  add(`</${name}>`);
}

const SPECIAL: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (sign) => SPECIAL[sign] ?? sign) : text;
}

function escapeValue(text: string): string {
  return /[&<>"\t\n\r]/.test(text) ? text.replace(/[&<>"\t\n\r]/g, (sign) => SPECIAL[sign] ?? sign) : text;
}
