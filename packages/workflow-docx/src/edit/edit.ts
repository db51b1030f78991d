import { err, ok, type Result } from "@uncaged/json-schema";
import { attempt } from "../attempt.js";
import { blocksOf, bodyOf } from "../blocks.js";
import { type DocxFault, docxFault } from "../fault.js";
import { outlineBlock } from "../outline.js";
import { type Document, treeOf, withTree } from "../package/index.js";
import { paragraphStyles } from "../styles.js";
import { withChildren, type XmlElement, type XmlNode } from "../xml/index.js";
import { checkEdit, type Target, targetFrom } from "./check.js";
import { parseEdits } from "./parse.js";
import { planBlock, type Replacement } from "./plan.js";
import type { Numbered } from "./types.js";

/**
 * The document after all edits (`Edit[]`, from anywhere), or everything that is wrong with them. All are checked before
 * the first is applied. Blocks have the numbers of the outline of `document`.
 */
export function editDocument(document: Document, edits: unknown): Result<Document, readonly DocxFault[]> {
  const parsed = attempt(() => parseEdits(edits));
  if (!parsed.ok) return err([parsed.error]);
  const styles = paragraphStyles(document);
  const blocks = blocksOf(bodyOf(document));
  const faults: DocxFault[] = [];
  const byBlock = new Map<number, Numbered[]>();
  const targets = new Map<number, Target | null>();
  const targetOf = (block: number): Target | null => {
    const [one, known] = [blocks[block - 1], targets.get(block)];
    if (known !== undefined) return known;
    const target = one === undefined ? null : targetFrom(one, outlineBlock(one, block, styles));
    targets.set(block, target);
    return target;
  };
  for (const edit of parsed.value) {
    const { block } = edit;
    const target = targetOf(block);
    if (target === null) {
      faults.push(docxFault("DOCX_NO_BLOCK", { edit: edit.edit, block, blocks: blocks.length }));
      continue;
    }
    const checked = attempt(() => checkEdit(edit, target, styles));
    if (!checked.ok) faults.push(checked.error);
    else byBlock.set(block, [...(byBlock.get(block) ?? []), edit]);
  }
  const replacements = new Map<XmlElement, Replacement>();
  for (const [block, ofBlock] of byBlock) {
    const target = targetOf(block);
    if (target === null) continue;
    const planned = attempt(() => planBlock(ofBlock, target, styles));
    if (planned.ok) replacements.set(target.one, planned.value);
    else faults.push(planned.error);
  }
  if (faults.length === 0) faults.push(...lastParagraph(blocks, replacements, parsed.value));
  if (faults.length > 0) return err(faults);
  if (replacements.size === 0) return ok(document);
  return ok(withTree(document, document.main, replace(treeOf(document, document.main), replacements)));
}

/** A document has at least one paragraph. */
function lastParagraph(
  blocks: readonly XmlElement[],
  replacements: ReadonlyMap<XmlElement, Replacement>,
  edits: readonly Numbered[],
): readonly DocxFault[] {
  const left = blocks.flatMap((one) => replacements.get(one) ?? [one]);
  const last = edits.findLast(({ op }) => op === "delete");
  if (last === undefined || left.some(({ name }) => name === "w:p")) return [];
  return [docxFault("DOCX_LAST_PARAGRAPH", { edit: last.edit, block: last.block, found: last.expect })];
}

function replace(of: XmlElement, replacements: ReadonlyMap<XmlElement, Replacement>): XmlElement {
  const children = of.children.flatMap((child): readonly XmlNode[] => {
    if (typeof child === "string") return [child];
    const replacement = replacements.get(child);
    if (replacement !== undefined) return replacement;
    if (!AROUND.has(child.name)) return [child];
    const replaced = replace(child, replacements);
    // A content control without content is no valid one.
    return child.name === "w:sdt" && isEmptied(child, replaced) ? [] : [replaced];
  });
  return withChildren(of, children);
}

const AROUND = new Set(["w:body", "w:sdt", "w:sdtContent", "w:customXml"]);

function isEmptied(old: XmlElement, replaced: XmlElement): boolean {
  return blocksOf(old).length > 0 && blocksOf(replaced).length === 0;
}
