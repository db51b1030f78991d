import { refuse } from "../fault.js";
import { attribute, element, elementsOf, localName, withChildren, type XmlElement } from "../xml/index.js";

export const CONTENT_TYPES = "[Content_Types].xml";

const MAIN = /wordprocessingml\.(document|template)\.main\+xml$/;

/** The type of a part: its own, or that of its ending. */
export function contentTypeOf(types: XmlElement, part: string): string | null {
  const own = elementsOf(types).find(
    (one) =>
      localName(one) === "Override" &&
      (attribute(one, "PartName") ?? "").toLowerCase() === `/${part.toLowerCase()}`,
  );
  if (own !== undefined) return attribute(own, "ContentType");
  const ending = part.slice(part.lastIndexOf(".") + 1).toLowerCase();
  const byEnding = elementsOf(types).find(
    (one) => localName(one) === "Default" && (attribute(one, "Extension") ?? "").toLowerCase() === ending,
  );
  return byEnding === undefined ? null : attribute(byEnding, "ContentType");
}

/** Refuses macros, and a main part that is no Word document. */
export function assertContentTypes(types: XmlElement, main: string): void {
  for (const one of elementsOf(types)) {
    const type = attribute(one, "ContentType") ?? "";
    if (/macroenabled|vbaproject|vbadata/i.test(type))
      refuse("DOCX_MACRO", { part: attribute(one, "PartName")?.slice(1) ?? CONTENT_TYPES });
  }
  const type = contentTypeOf(types, main) ?? "";
  if (!MAIN.test(type))
    refuse("DOCX_NOT_WORD", { reason: `its main part is ${type === "" ? "of no type" : type}` });
}

/** The same with the type of another part. */
export function withContentType(types: XmlElement, part: string, type: string): XmlElement {
  if (contentTypeOf(types, part) === type) return types;
  const prefix = types.name.slice(0, types.name.indexOf(":") + 1);
  const line = element(`${prefix}Override`, ["PartName", `/${part}`, "ContentType", type], []);
  return withChildren(types, [...types.children, line]);
}
