import { relatedPart, relationshipsOf, treeOf } from "../../src/document.js";
import type { Document } from "../../src/index.js";
import { attribute, childOf, elementsOf, textIn, type XmlElement, xmlText } from "../../src/xml.js";

// What a document says, letter by letter, made without the code that compares documents.

/** One line for each letter or object of the text, with its format and its link. */
export function shapeOf(document: Document): string {
  const lines: string[] = [];
  const related = relationshipsOf(document, document.main);
  const target = (id: string): string => {
    const one = related.get(id);
    if (one === undefined) return "nothing";
    return one.isExternal ? one.target : Buffer.from(document.parts.get(one.target) ?? []).toString("base64");
  };
  const note = (id: string): string => {
    const part = relatedPart(document, "footnotes");
    const all = part === null ? [] : elementsOf(treeOf(document, part));
    const found = all.find((one) => attribute(one, "w:id") === id);
    return found === undefined ? "nothing" : textIn(found);
  };
  const plain = (xml: string): string =>
    xml
      .replace(/ r:(id|embed)="([^"]*)"/g, (_, name, id) => ` ${name}=${target(id)}`)
      .replace(/<w:footnoteReference w:id="([^"]*)"\/>/g, (_, id) => `<note ${note(id)}>`)
      .replace(/ xml:space="preserve"/g, "")
      .replace(/<w:bookmark[^>]*>|<w:lang [^>]*>|<w:rPr\/>/g, "")
      .replace(/<w:rPr><\/w:rPr>/g, "");
  const inline = (of: XmlElement, link: string): void => {
    for (const child of elementsOf(of)) {
      if (child.name === "w:hyperlink") inline(child, target(attribute(child, "r:id") ?? ""));
      else if (child.name === "w:fldSimple") {
        lines.push(`begin`, `instr ${attribute(child, "w:instr")}`, "separate");
        inline(child, link);
        lines.push("end");
      } else if (child.name === "w:r") runOf(child, link);
      else if (child.name !== "w:pPr" && !child.name.startsWith("w:bookmark"))
        lines.push(plain(xmlText(child)));
    }
  };
  const runOf = (one: XmlElement, link: string): void => {
    const format = childOf(one, "w:rPr");
    const look = format === null ? "" : plain(xmlText(format));
    for (const part of elementsOf(one)) {
      if (part === format) continue;
      if (part.name === "w:t") for (const letter of textIn(part)) lines.push(`${letter}${look}${link}`);
      else if (part.name === "w:fldChar") lines.push(attribute(part, "w:fldCharType") ?? "");
      else if (part.name === "w:instrText") lines.push(`instr ${textIn(part)}`);
      else lines.push(`${plain(xmlText(part))}${look}${link}`);
    }
  };
  const blocks = (of: XmlElement): void => {
    for (const child of elementsOf(of)) {
      if (child.name === "w:p") {
        const properties = childOf(child, "w:pPr");
        const own = properties === null ? [] : elementsOf(properties).filter(({ name }) => name !== "w:rPr");
        lines.push(`paragraph ${own.map((one) => plain(xmlText(one))).join("")}`);
        inline(child, "");
      } else if (/^w:(tbl|tr|tc|sdt|sdtContent|body)$/.test(child.name)) {
        lines.push(child.name);
        blocks(child);
        lines.push(`/${child.name}`);
      } else if (!child.name.startsWith("w:bookmark")) lines.push(xmlText(child));
    }
  };
  blocks(treeOf(document, document.main));
  return lines.join("\n");
}
