import type { JsonValue } from "@uncaged/json-cas";
import type { Problem, Result } from "@uncaged/workflow-protocol";
import { hasBlank, isGluedComment } from "@uncaged/workflow-util";
import { type Locate, segmentsOf } from "../shape.js";
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

/** A YAML text that became plain JSON, and where each of its parts stands. */
export type LocatedYaml = {
  readonly file: string;
  /** `null` also if the text is empty or contains only comments. */
  readonly value: JsonValue;
  readonly locate: Locate;
};

/**
 * One YAML 1.2 document of plain JSON values. Refused, each with its place: several documents, anchors, aliases,
 * merge keys, custom tags, duplicate keys, keys that are not text, numbers that JSON does not have, too much depth.
 * Byte order mark and CRLF are accepted. Dates stay texts. `isCut` says which comments were likely meant as text.
 */
export async function parseYamlDocument(
  text: string,
  file: string,
  byteLimit: number,
  isCut: IsCut = looksCut,
): Promise<Result<LocatedYaml, readonly Problem[]>> {
  // Lazy: yaml costs as much as a complete step, and a step without config.yaml does not need it.
  const { parseText } = await import("./parse-text.js");
  return parseText(text, file, byteLimit, isCut);
}
