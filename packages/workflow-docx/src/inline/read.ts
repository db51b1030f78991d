import { attribute, childOf, element, elementsOf, withChildren, type XmlElement } from "../xml/index.js";
import { type Atom, CHARACTERS, isMarker, textAtom } from "./atom.js";
import { textOf } from "./text.js";

/** The pieces of a paragraph in their order. */
export function readParagraph(paragraph: XmlElement): readonly Atom[] {
  const content = elementsOf(paragraph).filter(({ name }) => name !== "w:pPr");
  const atoms = readInline(content, null);
  if (atoms !== null) return atoms;
  // A field begins or ends in another paragraph. What is part of it cannot be taken apart.
  return [objectOf(content, null)];
}

/** Whether a field of the paragraph begins or ends elsewhere. */
export function isPartOfField(paragraph: XmlElement): boolean {
  return readInline(elementsOf(paragraph), null) === null;
}

/** `null`: fields and links cross. */
function readInline(content: readonly XmlElement[], link: XmlElement | null): readonly Atom[] | null {
  const atoms: Atom[] = [];
  /** The runs of the field that is open, and how many fields are open in it. */
  let field: XmlElement[] = [];
  let depth = 0;
  for (const child of content) {
    if (child.name !== "w:r") {
      if (child.name === "w:hyperlink") {
        const inner = readInline(elementsOf(child), child);
        if (inner === null) return null;
        if (depth === 0) for (const atom of inner) atoms.push(atom);
        else field.push(child);
      } else if (depth > 0) field.push(child);
      else if (child.name !== "w:pPr")
        atoms.push(isMarker(child) ? markerOf(child, link) : objectOf([child], link));
      continue;
    }
    const format = childOf(child, "w:rPr");
    for (const part of elementsOf(child)) {
      if (part === format) continue;
      const type = part.name === "w:fldChar" ? attribute(part, "w:fldCharType") : null;
      if (type === "begin") depth++;
      if (depth === 0) {
        // The end of a field that began elsewhere.
        if (type !== null) return null;
        atoms.push(atomOf(part, format, link));
        continue;
      }
      field.push(runOf(child, format, part));
      if (type === "end" && --depth === 0) {
        atoms.push(objectOf(field, link));
        field = [];
      }
    }
  }
  return depth === 0 ? atoms : null;
}

function runOf(run: XmlElement, format: XmlElement | null, part: XmlElement): XmlElement {
  return withChildren({ ...run, attributes: [] }, format === null ? [part] : [format, part]);
}

function atomOf(part: XmlElement, format: XmlElement | null, link: XmlElement | null): Atom {
  if (part.name === "w:t") return textAtom(part.children.join(""), format, link);
  const inRun = { text: "", format, nodes: [part], inRun: true, link };
  if (isMarker(part)) return { ...inRun, kind: "marker" };
  // The end of a page or of a column is no end of a line.
  const isBreak = part.name === "w:br" && !["textWrapping", null].includes(attribute(part, "w:type"));
  const character = isBreak ? undefined : CHARACTERS[part.name];
  if (character !== undefined) return { ...inRun, kind: "character", text: character };
  return { ...inRun, kind: "object", text: textOf(element("w:r", [], [part])) };
}

function markerOf(node: XmlElement, link: XmlElement | null): Atom {
  return { kind: "marker", text: "", format: null, nodes: [node], inRun: false, link };
}

function objectOf(nodes: readonly XmlElement[], link: XmlElement | null): Atom {
  const text = textOf(element("w:p", [], nodes));
  return { kind: "object", text, format: null, nodes, inRun: false, link };
}
