import type { XmlElement } from "./tree.js";

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
