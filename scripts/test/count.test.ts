import { expect, it } from "vitest";
import { count, excessOfWords, wordsByHand } from "../count.js";
import { repository } from "./support/run.js";
import { makeTree } from "./support/tree.js";

it("counts a tree", () => {
  const root = makeTree({
    "README.md": "# Two words\n",
    "docs/guide.md": "| one | `two` |\n",
    "docs/reference.md": "made by the build\n",
    "docs/picture.json": "{}\n",
    "packages/x/README.md": "one\n\n```\ntwo three\n```\n",
    "packages/x/src/index.ts": 'export { a } from "./a.js";\n',
    "packages/x/src/a.ts": "1\n2\n3\n",
    "packages/x/src/alone/one.ts": "1\n",
    "packages/x/src/bin/x.ts": "1\n",
    "packages/x/test/a.test.ts": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
  });
  expect(wordsByHand(root)).toEqual({ "README.md": 3, "docs/guide.md": 5, "packages/x/README.md": 5 });
  expect(count(root)).toEqual({
    files: 4,
    lines: 6,
    median: 1,
    p90: 3,
    indexesAndTypes: 1,
    smallFolders: ["packages/x/src/alone"],
    words: 13,
    testLines: 9,
    testPerSource: 1.5,
  });
});

it("names an excess of words, with the longest documents", () => {
  const root = makeTree({
    "README.md": "one two three\n",
    "docs/guide.md": "one two three four\n",
    "packages/x/a": "",
  });
  expect(excessOfWords(root, 7)).toBe("");
  expect(excessOfWords(root, 6)).toBe(
    "the documents have 7 words, 1 more than 6:\n  4 docs/guide.md\n  3 README.md",
  );
});

it("finds no folder of one or two files in this repository", () => {
  expect(count(repository).smallFolders).toEqual([]);
});
