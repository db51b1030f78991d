import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDocument, openDocument, outlineOf, saveDocument } from "../src/index.js";
import { documentOf } from "./support/document.js";
import { block, render } from "./support/generate.js";

const text = fc.constantFrom("Another text", "one **two** three", "", "a\nb", "\u516c\u53f8 & <w:p/>");

/** What somebody asks for: `at` is taken modulo the number of blocks. */
const wish = fc.record({
  op: fc.constantFrom(
    "setText",
    "replaceText",
    "insertBefore",
    "insertAfter",
    "delete",
    "setStyle",
    "setCell",
  ),
  at: fc.nat(20),
  text,
});

describe("for a document of any kind, an edit", () => {
  it("changes no other block and no other part, or nothing at all", () => {
    let [done, refused] = [0, 0];
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 7 }), wish, (blocks, { op, at, text: said }) => {
        const { body, extras } = render(blocks, 0);
        const document = documentOf(body, extras);
        const before = outlineOf(document).blocks;
        const target = before[at % before.length];
        if (target === undefined) return;
        const cell = { row: 1, column: 1 };
        const fields: Readonly<Record<string, object>> = {
          setText: { text: said },
          replaceText: { find: target.text.slice(0, 5), text: said },
          insertBefore: { text: said },
          insertAfter: { text: said },
          delete: {},
          setStyle: { style: "Quote" },
          setCell: { ...cell, text: said },
        };
        const expected = op === "setCell" ? (target.rows?.[0]?.[0] ?? "") : target.text;
        const edit = { op, block: target.block, expect: expected, ...fields[op] };
        const edited = editDocument(document, [edit]);
        if (!edited.ok) {
          refused++;
          return;
        }
        done++;
        for (const [name, content] of document.parts)
          if (name !== document.main) expect(edited.value.parts.get(name)).toBe(content);
        const saved = openDocument(saveDocument(edited.value));
        if (!saved.ok) throw new Error(saved.error.code);
        for (const [name, content] of document.parts)
          if (name !== document.main)
            expect(Buffer.compare(saved.value.parts.get(name) ?? Buffer.of(), content)).toBe(0);
        const after = outlineOf(saved.value).blocks.map((one) => one.text);
        const others = before.map((one) => one.text);
        expect(after.slice(0, target.block - 1)).toEqual(others.slice(0, target.block - 1));
        const rest = others.slice(target.block);
        expect(after.slice(after.length - rest.length)).toEqual(rest);
      }),
      { numRuns: 1500, seed: 20261125 },
    );
    expect(done).toBeGreaterThan(500);
    expect(refused).toBeGreaterThan(50);
  });
});
