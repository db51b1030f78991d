import { refuse } from "../fault.js";
import { attribute, textIn, visit, type XmlElement } from "../xml/index.js";
import { assertLink } from "./links.js";

/** Fields that load what is not in the document. */
const LOADING = new Set(["INCLUDETEXT", "INCLUDEPICTURE", "INCLUDE", "IMPORT", "LINK", "RD", "DATABASE"]);

/** Refuses fields of a part that start programs or load files. An instruction may be spread over many runs. */
export function assertFields(root: XmlElement, part: string): void {
  const open: { instruction: string; isResult: boolean }[] = [];
  visit(root, (one) => {
    if (one.name === "w:fldSimple") return assertInstruction(attribute(one, "w:instr") ?? "", part);
    const innermost = open.at(-1);
    if (one.name === "w:instrText" || one.name === "w:delInstrText") {
      if (innermost !== undefined) innermost.instruction += textIn(one);
      else assertInstruction(textIn(one), part);
    }
    if (one.name !== "w:fldChar") return;
    const type = attribute(one, "w:fldCharType");
    if (type === "begin") {
      // Another field would say which field this is.
      const isComputed = innermost?.isResult === false && innermost.instruction.trim() === "";
      if (isComputed) refuse("DOCX_DDE", { part });
      open.push({ instruction: "", isResult: false });
    } else if (innermost !== undefined) {
      if (!innermost.isResult) assertInstruction(innermost.instruction, part);
      innermost.isResult = true;
      if (type === "end") open.pop();
    }
  });
  for (const { instruction } of open) assertInstruction(instruction, part);
}

function assertInstruction(instruction: string, part: string): void {
  const [, raw = "", rest = ""] = /^\s*([^\s"\\]+)([\s\S]*)$/.exec(instruction) ?? [];
  const name = raw.toUpperCase();
  if (name === "DDE" || name === "DDEAUTO") refuse("DOCX_DDE", { part });
  if (name === "EMBED") refuse("DOCX_OLE", { part });
  if (LOADING.has(name)) refuse("DOCX_EXTERNAL", { part, target: instruction.trim() });
  if (name === "HYPERLINK") {
    const [, quoted, bare] = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s\\"]\S*))/.exec(rest) ?? [];
    const target = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    if (target !== undefined && target !== "") assertLink(target, part);
  }
}
