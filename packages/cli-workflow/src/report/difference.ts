import {
  diffDocuments,
  differenceLines,
  differenceSummary,
  docxMessage,
  openDocument,
} from "@uncaged/workflow-docx";
import type { DifferentLine, DocumentDifference } from "@uncaged/workflow-report";

// What reads Word documents, for reports of threads that have some: 60 kB that no other command needs.

/** Lines, and characters of each, that a page shows. */
const LINES = 300;
const CHARACTERS = 4000;

const KINDS = { del: "gone", ins: "new" } as const;

/** What differs between two documents, as a report shows it. */
export function differenceOf(source: Uint8Array, modified: Uint8Array): DocumentDifference {
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
