import { refuse } from "../fault.js";
import { attributesOf, visit, type XmlElement } from "../xml/index.js";
import { assertFields } from "./fields.js";
import { assertLink } from "./links.js";
import type { Relationship } from "./relationships.js";

/** Refuses parts that are programs, by their names. */
export function assertNames(names: Iterable<string>): void {
  for (const part of names) {
    if (/(^|\/)(vbaproject[^/]*\.bin|vbadata\.xml)$/i.test(part)) refuse("DOCX_MACRO", { part });
    if (/(^|\/)(activex|embeddings)\/[^/]*\.(bin|ole)$/i.test(part)) refuse("DOCX_OLE", { part });
  }
}

/** Refuses a relationship that loads something from elsewhere, or that leads to a program. */
export function assertRelationship({ kind, target, isExternal }: Relationship, part: string): void {
  const what = kind.toLowerCase();
  if (what === "vbaproject" || what === "wordvbadata") refuse("DOCX_MACRO", { part });
  if (what === "oleobject" || what === "control" || what === "activexcontrolbinary")
    refuse("DOCX_OLE", { part });
  if (what === "afchunk") refuse("DOCX_FOREIGN", { part });
  if (!isExternal) return;
  if (what === "hyperlink") assertLink(target, part);
  else if (what === "image") refuse("DOCX_EXTERNAL_IMAGE", { part, target });
  else if (what === "attachedtemplate") refuse("DOCX_EXTERNAL_TEMPLATE", { part, target });
  else refuse("DOCX_EXTERNAL", { part, target });
}

/** Refuses what the text of a part would do. */
export function assertContent(root: XmlElement, part: string): void {
  visit(root, (one) => {
    if (one.name === "o:OLEObject" || one.name === "w:control") refuse("DOCX_OLE", { part });
    if (one.name === "w:altChunk") refuse("DOCX_FOREIGN", { part });
    // The older format of drawings names addresses in attributes.
    if (!one.name.startsWith("v:")) return;
    for (const [name, value] of attributesOf(one)) {
      if (name === "src" && value !== "") refuse("DOCX_EXTERNAL_IMAGE", { part, target: value });
      if (name === "href" || name === "o:href") assertLink(value, part);
    }
  });
  assertFields(root, part);
}
