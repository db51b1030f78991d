import type { AddOn, DifferentLine, DocumentDifference } from "@uncaged/cli-workflow/add-on";
import { isObject, type JsonValue } from "@uncaged/json-cas";
import { diffDocuments } from "./diff/index.js";
import { openDocument } from "./document.js";
import { docxMessage } from "./fault.js";
import { differenceLines, differenceSummary } from "./show.js";

/** Word documents, as uwf loads them for reports of threads that have some. */
export const addOn: AddOn = {
  commands: [],
  groups: {},
  topics: [],
  agents: [
    {
      name: "uwf-office",
      plays: "a program that makes or edits a Word document; `--apply` makes one of a model's edits",
    },
    { name: "uwf-docx-diff", plays: "what differs between two Word documents of an earlier step" },
  ],
  onRemote: {},
  differences: { pairOf, differenceOf },
};

/** The two documents of a differ, else of an editor. */
function pairOf(output: JsonValue): { readonly source: string; readonly modified: string } | null {
  if (!isObject(output)) return null;
  const { sourceDocx: source, modifiedDocx, outputDocx } = output;
  const modified = modifiedDocx ?? outputDocx;
  return typeof source === "string" && typeof modified === "string" ? { source, modified } : null;
}

/** Lines, and characters of each, that a page shows. */
const LINES = 300;
const CHARACTERS = 4000;

const KINDS = { del: "gone", ins: "new" } as const;

/** What differs between two documents, as a report shows it. */
function differenceOf(source: Uint8Array, modified: Uint8Array): DocumentDifference {
  const [old, now] = [openDocument(source), openDocument(modified)];
  if (!old.ok || !now.ok) {
    const fault = old.ok ? (now.ok ? null : now.error) : old.error;
    const reason = fault === null ? "" : docxMessage(fault);
    return { summary: `The documents cannot be compared: ${reason}`, lines: [], more: 0 };
  }
  const difference = diffDocuments(old.value, now.value, { author: "uwf", date: null });
  const lines = differenceLines(difference);
  return {
    summary: differenceSummary(difference),
    lines: lines.slice(0, LINES).map(
      ({ heading, label, pieces, isFormatOnly }): DifferentLine => ({
        heading,
        label,
        parts: pieces.map(({ text, change }) => ({
          kind: change === null ? "same" : KINDS[change],
          text: text.length > CHARACTERS ? `${text.slice(0, CHARACTERS)}…` : text,
        })),
        isFormatOnly,
      }),
    ),
    more: Math.max(0, lines.length - LINES),
  };
}
