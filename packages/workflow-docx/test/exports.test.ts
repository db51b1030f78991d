import { expect, it } from "vitest";

it("exports what others build on, and nothing else", async () => {
  const names = Object.keys(await import("../src/index.js")).sort();
  expect(names).toEqual([
    "DOCX_EXIT_CODE",
    "DOCX_FAULTS",
    "DOCX_MAX_BYTES",
    "acceptChanges",
    "createDocument",
    "diffDocuments",
    "differenceHtml",
    "differenceLines",
    "differenceSummary",
    "differenceText",
    "docxFault",
    "docxHint",
    "docxMessage",
    "editDocument",
    "fillTemplate",
    "markedText",
    "openDocument",
    "outlineOf",
    "rejectChanges",
    "saveDocument",
  ]);
});
