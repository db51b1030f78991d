import { isObject } from "@uncaged/json-schema";
import { type DocxFault, docxFault, Refused } from "../fault.js";

/** What the library says of a problem. It has a message for each, for programmers. */
type Problem = {
  readonly id: string;
  readonly xtag: string;
  readonly explanation: string;
  /** Of a loop that another tag closes. */
  readonly closingtag: string;
  readonly openingtag: string;
  /** Of a loop that another one crosses. */
  readonly lastPair: { readonly left: string };
};

/** The first of the problems that the library has found, as a fault. What is none is thrown again. */
export function templateFault(error: unknown): DocxFault {
  const [first] = causesOf(error);
  if (first instanceof Refused) return first.fault;
  const { id, xtag, explanation, openingtag, closingtag, lastPair } = propertiesOf(first) as Partial<Problem>;
  if (id === undefined) throw error;
  const tag = (xtag ?? "").trim();
  switch (id) {
    case "unclosed_tag":
      return docxFault("DOCX_TEMPLATE_UNCLOSED", { tag });
    case "unopened_tag":
      return docxFault("DOCX_TEMPLATE_UNOPENED", { tag });
    case "duplicate_open_tag":
    case "duplicate_close_tag":
      return docxFault("DOCX_TEMPLATE_DOUBLE", { tag });
    case "unclosed_loop":
      return docxFault("DOCX_TEMPLATE_LOOP_UNCLOSED", { tag });
    case "unopened_loop":
      return docxFault("DOCX_TEMPLATE_LOOP_UNOPENED", { tag });
    case "closing_tag_does_not_match_opening_tag":
      return docxFault("DOCX_TEMPLATE_LOOP_NAME", { tag: openingtag ?? "", other: closingtag ?? "" });
    case "loop_position_invalid":
    case "unbalanced_loop_tags":
      return docxFault("DOCX_TEMPLATE_LOOP_PLACE", { tag: xtag ?? lastPair?.left ?? "" });
    default:
      return docxFault("DOCX_TEMPLATE", { reason: explanation ?? id });
  }
}

/** An error of the library may stand for several, and have another in it. */
function causesOf(error: unknown): readonly unknown[] {
  const { errors, rootError } = propertiesOf(error);
  if (Array.isArray(errors)) return errors.flatMap(causesOf);
  return [rootError ?? error];
}

function propertiesOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error) || !("properties" in error) || !isObject(error.properties)) return {};
  return error.properties;
}
