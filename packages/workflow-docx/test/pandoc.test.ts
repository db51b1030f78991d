import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
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
import { hasPandoc, pandocIn } from "./support/pandoc.js";

// Documents made by pandoc, and pandoc as a second opinion: a program that has nothing of ours reads the tracked changes.

const BLOCKS = [
  "# Costs of *2026*",
  "The costs **rise** by 3.5 percent, says [the office](https://example.org/a).",
  "We have three apples and $x^2 + y$ of the others.[^a]",
  "| Item | Price |\n|------|------:|\n| Tea  | 3     |\n| Milk | 1     |",
  "- rent\n- tea, and\n    - sugar\n- water",
  "1. Pay.\n2. Wait.\n3. Ask again.",
  "> Nobody has said so.",
  "## What is next",
  "A line with `code` and ~~struck~~ words, H~2~O too.",
  "$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$",
  "```\nsome code\n  in two lines\n```",
  "The last words are the same in each.",
];
const NOTE = "[^a]: A note about apples, with a [link](https://example.org/note).";

const has = (...others: readonly string[]): readonly string[] => [...BLOCKS, ...others];
const swap = (from: string, to: string): readonly string[] => BLOCKS.map((one) => one.replaceAll(from, to));

/** The text, and what somebody made of it. */
const VERSIONS: readonly (readonly string[])[] = [
  BLOCKS,
  swap("three apples", "four **red** apples"),
  swap("| Milk | 1     |", "| Milk | 2     |\n| Salt | 4     |"),
  BLOCKS.toSpliced(3, 2),
  BLOCKS.toSpliced(1, 0, "Another paragraph.", "# Another heading").toSpliced(8, 1),
  has("And one more.", "- a\n- b"),
  swap("x^2 + y", "x^3").map((one) => one.replaceAll("example.org/a", "example.org/b")),
  [...BLOCKS.slice(6), ...BLOCKS.slice(0, 6)],
  swap("Wait.", "Wait a while, and\n   come back.").map((one) => one.replaceAll("Nobody", "Somebody")),
];

describe.skipIf(!hasPandoc)("documents that pandoc has made", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-pandoc-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const pandoc = pandocIn(folder);

  function made(): readonly Document[] {
    return VERSIONS.map((blocks, index) => {
      writeFileSync(join(folder, `${index}.md`), [...blocks, NOTE].join("\n\n"));
      pandoc(`${index}.md`, "-o", `${index}.docx`);
      return opened(`${index}.docx`);
    });
  }

  function opened(name: string): Document {
    const document = openDocument(readFileSync(join(folder, name)));
    if (!document.ok) throw new Error(docxMessage(document.error));
    return document.value;
  }

  // Numbers of lists differ where their definitions are equal, so that not every letter of the XML is compared.
  const said = (document: Document) => outlineOf(document).blocks.map(({ kind, text }) => [kind, text]);

  // Of an inserted paragraph pandoc reads neither formulas nor blocks of code, and it leaves an empty item where one of a
  // list is deleted. These it has no opinion about.
  const unread = new Set(["sum", "frac", "some", "code", "two", "lines"]);

  /** The words of many files, in one call. */
  const words = (how: string, names: readonly string[]): readonly string[] => {
    const text = pandoc(`--track-changes=${how}`, "--file-scope", "-t", "plain", "--wrap=none", ...names);
    return (text.match(/\p{L}{3,}/gu) ?? []).filter((word) => !unread.has(word));
  };

  it("are compared in every pair: pandoc too reads the new one when it accepts, and the old one when it rejects", () => {
    const documents = made();
    const pairs = documents.flatMap((old, i) =>
      documents.flatMap((now, j) => (i === j ? [] : [{ old, now, i, j }])),
    );
    for (const { old, now, i, j } of pairs) {
      const { tracked, changes } = diffDocuments(old, now, { author: "uwf", date: null });
      if (!tracked.ok) throw new Error(`${i} and ${j}: ${docxMessage(tracked.error)}`);
      expect(changes).not.toEqual([]);
      expect(said(acceptChanges(tracked.value))).toEqual(said(now));
      expect(said(rejectChanges(tracked.value))).toEqual(said(old));
      writeFileSync(join(folder, `${i}-${j}.docx`), saveDocument(tracked.value));
    }
    const tracked = pairs.map(({ i, j }) => `${i}-${j}.docx`);
    const [olds, news] = [pairs.map(({ i }) => `${i}.docx`), pairs.map(({ j }) => `${j}.docx`)];
    expect(words("accept", tracked)).toEqual(words("accept", news));
    expect(words("reject", tracked)).toEqual(words("accept", olds));
  }, 120_000);

  it("are outlined and edited, and pandoc reads the edit and nothing else", () => {
    const [document] = made();
    if (document === undefined) throw new Error("none");
    const { blocks } = outlineOf(document);
    expect(new Set(blocks.map(({ kind }) => kind))).toEqual(
      new Set(["heading", "paragraph", "table", "item"]),
    );
    const last = blocks.at(-1);
    const edited = editDocument(document, [
      { op: "replaceText", block: last?.block, expect: last?.text, find: "last", text: "final" },
    ]);
    if (!edited.ok) throw new Error(edited.error.map(docxMessage).join());
    writeFileSync(join(folder, "edited.docx"), saveDocument(edited.value));
    const read = (name: string): string => words("accept", [name]).join(" ");
    expect(read("edited.docx")).toBe(read("0.docx").replace("The last words", "The final words"));
  }, 120_000);
});
