import { describe, expect, it } from "vitest";
import { DOCX_FAULTS, docxHint, docxMessage, openDocument } from "../src/index.js";
import { BAD } from "./support/bad.js";
import { fileOf, paragraph } from "./support/document.js";

describe("a bad file", () => {
  it.each(BAD.map((bad) => [bad.name, bad] as const))("is refused: %s", (_, bad) => {
    const opened = openDocument(bad.bytes());
    expect(opened.ok ? "opened" : opened.error.code).toBe(bad.code);
    if (opened.ok) return;
    expect(docxMessage(opened.error)).not.toMatch(/undefined|\[object/);
    expect(docxHint(opened.error)).not.toBe("");
  });

  it("has every code of a document at least once", () => {
    const codes = Object.keys(DOCX_FAULTS);
    const ofDocuments = codes.slice(0, codes.indexOf("DOCX_EDIT_SHAPE"));
    expect(ofDocuments.filter((code) => !BAD.some((bad) => bad.code === code))).toEqual([]);
  });

  it("is refused wherever it is cut off", () => {
    const file = fileOf(paragraph("Hello"));
    for (let length = 0; length < file.length; length++)
      expect(openDocument(file.subarray(0, length)).ok).toBe(false);
  });

  it("is refused or read, and never throws, whatever byte of it is another", () => {
    const file = fileOf(paragraph("Hello"));
    for (let at = 0; at < file.length; at++) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ (1 + (at % 255));
      expect(() => openDocument(changed)).not.toThrow();
    }
  });
});
