import { expect, it } from "vitest";
import { budgetsOf, budgetTable, excess, smallFolders, wordsByHand } from "../budgets.js";
import { repository } from "./support/run.js";
import { makeTree } from "./support/tree.js";

const TREE = {
  "README.md": "# Two words\n",
  "docs/guide.md": "| one | `two` |\n",
  "docs/reference.md": "made by the build\n",
  "docs/picture.json": "{}\n",
  "packages/x/README.md": "one\n\n```\ntwo three\n```\n",
  "packages/x/src/index.ts": 'export { a } from "./a.js";\n',
  "packages/x/src/a.ts": "1\n2\n3\n",
  "packages/x/src/words.made.ts": "1\n2\n",
  "packages/x/src/alone/one.ts": "1\n",
  "packages/x/src/bin/x.ts": "1\n",
  "packages/x/test/a.test.ts": "1\n2\n3\n4\n5\n",
  "packages/faults/src/main.ts": "1\n2\n",
  "packages/workflow-remote/src/index.ts": "1\n",
  "packages/workflow-store/src/index.ts":
    'export { a, type B } from "./a.js";\nexport {\n  c,\n} from "./c.js";\n',
  "scripts/build.ts": "1\n2\n3\n",
  "scripts/test/build.test.ts": "1\n",
};

it("counts what is written: no tests, and nothing that the build makes", () => {
  const root = makeTree(TREE);
  expect(wordsByHand(root)).toEqual({ "README.md": 3, "docs/guide.md": 5, "packages/x/README.md": 5 });
  expect(Object.fromEntries(budgetsOf(root).map(({ what, now }) => [what, now]))).toEqual({
    "lines of core": 10,
    "files of core": 5,
    "lines of add-ons": 1,
    "lines of harness": 5,
    "words of documents": 13,
    "names of workflow-store": 3,
    "folders of one or two files": 1,
  });
});

it("fails for a planted excess, and says what and by how much", () => {
  const root = makeTree({ ...TREE, "docs/long.md": "word ".repeat(29_988) });
  expect(excess(budgetsOf(root))).toBe(
    ["30001 words of documents, 1 more than 30000", "1 folders of one or two files, 1 more than 0"].join(
      "\n",
    ),
  );
  expect(excess([{ what: "lines of core", now: 5, most: 5, goal: 1 }])).toBe("");
});

it("prints each budget with its limit and its goal", () => {
  expect(budgetTable([{ what: "lines of core", now: 1234, most: 86_000, goal: 68_000 }])).toBe(
    "  1,234 of  86,000 lines of core (goal 68,000)",
  );
});

it("finds no folder of one or two files in this repository", () => {
  expect(smallFolders(repository, ["cli-workflow", "workflow-engine", "workflow-store"])).toEqual([]);
});
