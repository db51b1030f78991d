import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { treeOf } from "../src/document.js";
import {
  acceptChanges,
  type Document,
  diffDocuments,
  docxMessage,
  editDocument,
  openDocument,
  outlineOf,
  rejectChanges,
  saveDocument,
} from "../src/index.js";
import { xmlText } from "../src/xml.js";
import { documentOf } from "./support/document.js";
import { type Block, type Piece, pair, render, without } from "./support/generate.js";
import { hasPandoc, pandocIn } from "./support/pandoc.js";
import { shapeOf } from "./support/shape.js";

// Documents that pandoc makes of generated Markdown, all compared with all, and pandoc's opinion of generated documents.

/** pandoc reads no formula that is inserted, and of a simple field the result only once it is tracked. */
const UNREAD = new Set<Piece["kind"]>(["formula", "simple"]);

const BY = { author: "uwf", date: null };
const SEED = 20261125;

/** So many documents have 2,070 pairs. */
const DOCUMENTS = 46;

/** They took 63 s under `nice` on a busy machine. */
const MOST_MS = 600_000;

const word = fc.constantFrom(
  "three",
  "four",
  "apples",
  "**rise**",
  "*fall*",
  "`code`",
  "costs",
  "~~struck~~",
  "H~2~O",
);
const link = fc.nat(2).map((to) => `[the office](https://example.org/${to})`);
const formula = fc.constantFrom("$x^2 + y$", "$\\frac{1}{2}$");
const note = fc.constantFrom("apples[^a]", "pears[^b]");
const line = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: word },
      { weight: 1, arbitrary: link },
      { weight: 1, arbitrary: formula },
      { weight: 1, arbitrary: note },
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map((words) => `We ${words.join(" ")}.`);
const block = fc.oneof(
  { weight: 6, arbitrary: line },
  { weight: 2, arbitrary: line.map((text) => `# ${text.slice(0, 20).replace(/[^\w ]/g, "")}`) },
  {
    weight: 2,
    arbitrary: fc
      .array(line, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one) => `- ${one}`).join("\n")),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(line, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one) => `1. ${one}`).join("\n")),
  },
  { weight: 1, arbitrary: line.map((text) => `> ${text}`) },
  {
    weight: 1,
    arbitrary: fc
      .nat(9)
      .map((price) => `| Item | Price |\n|------|------:|\n| Tea  | ${price}     |\n| Milk | 1     |`),
  },
  { weight: 1, arbitrary: fc.constantFrom("$$\\sum_{i=1}^n i$$", "```\nsome code\n  in two lines\n```") },
);
const markdown = fc
  .array(block, { minLength: 1, maxLength: 5 })
  .map((blocks) => [...blocks, "[^a]: A note.", "[^b]: Another *note*."].join("\n\n"));

describe.skipIf(!hasPandoc)("pandoc", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-pandoc-")));
  const pandoc = pandocIn(folder);
  const documents: Document[] = [];

  beforeAll(() => {
    for (const [index, text] of fc.sample(markdown, { numRuns: DOCUMENTS, seed: SEED }).entries()) {
      writeFileSync(join(folder, `${index}.md`), text);
      pandoc(`${index}.md`, "-o", `${index}.docx`);
      documents.push(opened(readFileSync(join(folder, `${index}.docx`))));
    }
  }, MOST_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** pandoc numbers its lists anew in each document. */
  const shape = (document: Document): string => shapeOf(document).replace(/<w:numId [^>]*>/g, "");

  it(
    "makes documents of which any two give the new one when changes are accepted, the old one when rejected",
    () => {
      const shapes = documents.map(shape);
      let pairs = 0;
      for (const [i, old] of documents.entries())
        for (const [j, now] of documents.entries()) {
          if (i === j) continue;
          pairs++;
          const { tracked } = diffDocuments(old, now, BY);
          if (!tracked.ok) throw new Error(`${i} and ${j}: ${docxMessage(tracked.error)}`);
          const changes = opened(saveDocument(tracked.value));
          expect(shape(acceptChanges(changes)), `${i} and ${j}`).toBe(shapes[j]);
          expect(shape(rejectChanges(changes)), `${i} and ${j}`).toBe(shapes[i]);
        }
      expect(pairs).toBeGreaterThanOrEqual(2000);
    },
    MOST_MS,
  );

  it(
    "makes documents of which an edit changes one paragraph, and no byte of another part",
    () => {
      for (const [index, document] of documents.entries()) {
        for (const { block, text, rows } of outlineOf(document).blocks) {
          if (rows !== null || !text.includes("We")) continue;
          const edit = { op: "replaceText", block, expect: text, find: "We", text: "They" };
          const edited = editDocument(document, [edit]);
          if (!edited.ok) throw new Error(edited.error.map(docxMessage).join());
          const saved = opened(saveDocument(edited.value));
          expect([...saved.parts.keys()].sort()).toEqual([...document.parts.keys()].sort());
          for (const [name, bytes] of document.parts) {
            if (name === document.main) continue;
            expect(Buffer.compare(saved.parts.get(name) ?? Buffer.of(), bytes), `${index} ${name}`).toBe(0);
          }
          const gone = changedIn(xmlOf(document), xmlOf(saved));
          expect(gone, `${index} block ${block}`).toMatch(/We/);
          expect(gone, `${index} block ${block}`).not.toContain("</w:p>");
        }
      }
    },
    MOST_MS,
  );

  it(
    "agrees about generated documents: what it reads is the new one when it accepts, the old one when it rejects",
    () => {
      const names: string[] = [];
      for (const [index, [a, b]] of fc.sample(pair, { numRuns: 200, seed: SEED }).entries()) {
        const [old, now] = [made(without(a, UNREAD), 0), made(without(b, UNREAD), 50)];
        const { tracked } = diffDocuments(old, now, BY);
        if (!tracked.ok) throw new Error(docxMessage(tracked.error));
        for (const [kind, document] of Object.entries({ old, now, tracked: tracked.value }))
          writeFileSync(join(folder, `${index}-${kind}.docx`), saveDocument(document));
        names.push(String(index));
      }
      const read = (how: string, kind: string): readonly string[] => {
        const files = names.map((name) => `${name}-${kind}.docx`);
        const text = pandoc(`--track-changes=${how}`, "--file-scope", "-t", "plain", "--wrap=none", ...files);
        return text.match(/[\p{L}\d]+/gu) ?? [];
      };
      expect(read("accept", "tracked")).toEqual(read("accept", "now"));
      expect(read("reject", "tracked")).toEqual(read("accept", "old"));
    },
    MOST_MS,
  );
});

function made(blocks: readonly Block[], offset: number): Document {
  const { body, extras } = render(blocks, offset);
  // It loses what is joined with a heading.
  return documentOf(body.replaceAll('<w:pStyle w:val="Heading1"/>', ""), extras);
}

function opened(bytes: Uint8Array): Document {
  const document = openDocument(bytes);
  if (!document.ok) throw new Error(docxMessage(document.error));
  return document.value;
}

function xmlOf(document: Document): string {
  return xmlText(treeOf(document, document.main));
}

/** What stands in `before`, between what the two begin and end with in common. */
function changedIn(before: string, after: string): string {
  let [start, end] = [0, 0];
  while (before[start] === after[start]) start++;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end++;
  return before.slice(start, before.length - end);
}
