import { hasBlank, isGluedComment } from "@uncaged/workflow-util";
import { segmentsOf } from "../shape.js";
import { workflowTexts } from "./workflow-shape.js";

/** Whether a text without quotes, "" for none, was likely meant to go on where the comment behind it begins. */
export type IsCut = (path: string, text: string, comment: string) => boolean;

/** Among commands and names a comment is usual: several words before a `#` without a blank behind it. */
export const looksCut: IsCut = (_path, text, comment) => hasBlank(text) && isGluedComment(comment);

/** Texts for people, models and the engine, also in a `meta`: there a comment is never told from the text. */
const TEXTS: ReadonlySet<string> = new Set([...workflowTexts("prose"), ...["title", "$comment"]]);

/** One word, in which there can be no `#`. */
const NAMES: ReadonlySet<string> = new Set([
  ...workflowTexts("word"),
  ...["type", "required", "format", "$ref"],
]);

/** In a workflow. */
export const isCutInWorkflow: IsCut = (path, text, comment) => {
  const name = segmentsOf(path).findLast((segment) => !/^\d+$/.test(segment)) ?? "";
  if (text !== "" && (TEXTS.has(name) || hasBlank(text))) return true;
  return !NAMES.has(name) && isGluedComment(comment);
};
