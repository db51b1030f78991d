import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffDocuments, editDocument, openDocument, outlineOf, saveDocument } from "../src/index.js";
import { documentOf, partsOf } from "./support/document.js";
import { block, render } from "./support/generate.js";
import { rawZip } from "./support/zip.js";

/** Bytes that another program, or somebody who means harm, has written over. */
const change = fc.record({
  at: fc.nat(1_000_000),
  kind: fc.constantFrom("other", "gone", "twice", "cut", "zero"),
  length: fc.nat(40),
  byte: fc.nat(255),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(bytes: Buffer, { at, kind, length, byte }: Change): Buffer {
  const from = at % Math.max(bytes.length, 1);
  const [before, middle, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, from + length),
    bytes.subarray(from + length),
  ];
  switch (kind) {
    case "other":
      return Buffer.concat([before, Buffer.alloc(1, byte), bytes.subarray(from + 1)]);
    case "gone":
      return Buffer.concat([before, after]);
    case "twice":
      return Buffer.concat([before, middle, middle, after]);
    case "cut":
      return Buffer.from(before);
    case "zero":
      return Buffer.concat([before, Buffer.alloc(middle.length), after]);
  }
}

const blocks = fc.array(block, { minLength: 1, maxLength: 4 });
const changes = fc.array(change, { minLength: 1, maxLength: 3 });

/** Everything that is done with a document that was opened. */
function use(bytes: Uint8Array): "refused" | "opened" {
  const opened = openDocument(bytes);
  if (!opened.ok) return "refused";
  const { blocks: seen } = outlineOf(opened.value);
  for (const { block: number, text } of seen.slice(0, 3))
    editDocument(opened.value, [{ op: "setText", block: number, expect: text, text: "x" }]);
  diffDocuments(opened.value, documentOf("<w:p/>"), { author: "uwf", date: null });
  return "opened";
}

describe("a document whose bytes somebody has changed", () => {
  it("is refused or used, and nothing throws: bytes of the zip", () => {
    fc.assert(
      fc.property(blocks, changes, (made, all) => {
        const { body, extras } = render(made, 0);
        use(all.reduce(changed, Buffer.from(saveDocument(documentOf(body, extras)))));
      }),
      { numRuns: 400, seed: 1 },
    );
  });

  it("is refused or used, and nothing throws: bytes of its XML", () => {
    const answers = { refused: 0, opened: 0 };
    fc.assert(
      fc.property(blocks, fc.nat(10), changes, (made, part, all) => {
        const { body, extras } = render(made, 0);
        const parts = [...partsOf(body, extras)];
        const place = part % parts.length;
        const entries = parts.map(([name, content], index) => ({
          name,
          content: index === place ? all.reduce(changed, Buffer.from(content)) : content,
        }));
        answers[use(rawZip(entries))]++;
      }),
      { numRuns: 1000, seed: 2 },
    );
    expect(answers.refused).toBeGreaterThan(50);
    expect(answers.opened).toBeGreaterThan(50);
  });
});
