import { attribute, element, elementsOf, type XmlElement } from "../xml/index.js";

function mark(type: string): XmlElement {
  return element("w:r", [], [element("w:fldChar", ["w:fldCharType", type], [])]);
}

/** A simple field as the runs of a complex one, which unlike it can be inserted and deleted. */
export function expandSimple(field: XmlElement): readonly XmlElement[] {
  const instruction = element("w:instrText", ["xml:space", "preserve"], [attribute(field, "w:instr") ?? ""]);
  const result = elementsOf(field).filter(({ name }) => name !== "w:fldData");
  return [mark("begin"), element("w:r", [], [instruction]), mark("separate"), ...result, mark("end")];
}
