import type { XmlElement } from "./tree.js";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A part as bytes. */
export function writeXml(root: XmlElement): Uint8Array {
  return Buffer.from(DECLARATION + xmlText(root), "utf8");
}

/** An element as text, without declaration. */
export function xmlText(root: XmlElement): string {
  const pieces: string[] = [];
  write(root, pieces);
  return pieces.join("");
}

function write({ name, attributes, children }: XmlElement, pieces: string[]): void {
  pieces.push("<", name);
  for (let at = 0; at < attributes.length; at += 2)
    pieces.push(" ", attributes[at] ?? "", '="', escapeValue(attributes[at + 1] ?? ""), '"');
  if (children.length === 0) {
    pieces.push("/>");
    return;
  }
  pieces.push(">");
  for (const child of children) {
    if (typeof child === "string") pieces.push(escapeText(child));
    else write(child, pieces);
  }
  pieces.push("</", name, ">");
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
