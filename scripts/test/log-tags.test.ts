import { describe, expect, it } from "vitest";
import { checkLogTags } from "../log-tags.js";
import { formatProblems, readTree } from "../source.js";
import { repository } from "./support/run.js";
import { makeTree, manifest } from "./support/tree.js";

function found(first: string, second = ""): readonly string[] {
  const root = makeTree({
    "package.json": "{}",
    "packages/a/package.json": manifest("a"),
    "packages/a/src/first.ts": first,
    "packages/a/src/second.ts": second,
  });
  return checkLogTags(readTree(root)).map(({ file, line, message }) => `${file}:${line} ${message}`);
}

describe("log tags", () => {
  it("accepts literal tags that differ, on functions and on members", () => {
    expect(found('log("4KNMR2PX", "x");\nhost.log("4KNMR2PY", "x");', 'log("4KNMR2PZ", "x");')).toEqual([]);
  });

  it("finds a tag that is used twice, in whatever files", () => {
    expect(found('log("4KNMR2PX", "x");', '\nlog("4KNMR2PX", "y");')).toEqual([
      'packages/a/src/second.ts:2 "4KNMR2PX" is already used in packages/a/src/first.ts:1',
    ]);
  });

  it.each(["4KNMR2P", "4KNMR2PXX", "4KNMR2PI", "4KNMR2PL", "4KNMR2PO", "4KNMR2PU", "4knmr2px", ""])(
    "finds %j, which is not 8 Crockford characters",
    (tag) => {
      expect(found(`log("${tag}", "x");`)).toHaveLength(1);
    },
  );

  it("finds a tag that is not a literal", () => {
    const message = "packages/a/src/first.ts:1 the tag must be a string literal";
    expect(found("log(TAG, 1);")).toEqual([message]);
    expect(found(`log(\`\${a}AAAAAAA\`, 1);`)).toEqual([message]);
    expect(found("log();")).toEqual([message]);
  });

  it("leaves console.log, Math.log and comments alone", () => {
    expect(found('console.log("x");\nMath.log(2);\n// log("x")\nconst s = "log(1)";')).toEqual([]);
  });

  it("are unique in this repository", () => {
    expect(formatProblems(checkLogTags(readTree(repository)))).toBe("");
  });
});
