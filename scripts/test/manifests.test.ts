import { describe, expect, it } from "vitest";
import { checkManifests } from "../manifests.js";
import { formatProblems, readTree } from "../source.js";
import { repository } from "./support/run.js";
import { makeTree } from "./support/tree.js";

const sound = {
  name: "@uncaged/a",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  engines: { node: ">=20" },
  files: ["dist", "!dist/.tsbuildinfo"],
  publishConfig: { access: "public" },
  exports: {
    ".": { "uwf-source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./package.json": "./package.json",
  },
  dependencies: { yaml: "2.9.1" },
};

function found(change: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>> = {}) {
  const root = makeTree({
    "package.json": JSON.stringify({ engines: { node: ">=20" } }),
    LICENSE: "MIT",
    "packages/a/package.json": JSON.stringify({ ...sound, ...change }),
    "packages/a/LICENSE": "MIT",
    "packages/a/README.md": "# a",
    "packages/b/package.json": JSON.stringify({ ...sound, name: "@uncaged/b" }),
    "packages/b/LICENSE": "MIT",
    "packages/b/README.md": "# b",
    ...files,
  });
  return checkManifests(readTree(root)).map(({ file, message }) => `${file} ${message}`);
}

describe("the manifest check", () => {
  it("has nothing to say about sound manifests", () => {
    expect(found({})).toEqual([]);
  });

  it.each(Object.keys(sound).filter((key) => key !== "dependencies" && key !== "version"))(
    "finds another %s",
    (key) => {
      expect(found({ [key]: "other" })).toHaveLength(1);
    },
  );

  it("finds a version that differs from the other packages'", () => {
    expect(found({ version: "1.0.1" })).toHaveLength(1);
  });

  it("finds a bin that the package does not contain", () => {
    expect(found({ bin: { a: "./bin/a" } })).toEqual([
      'packages/a/package.json "files" should be ["dist","!dist/.tsbuildinfo","bin"]',
    ]);
  });

  it("finds ranges that are not pinned, ours of another version or that npm cannot read, and two versions of one dependency", () => {
    expect(found({ dependencies: { left: "^1.0.0" } })).toHaveLength(1);
    expect(found({ dependencies: { "@uncaged/b": "^1.0.0" } })).toEqual([]);
    for (const range of ["1.0.0", "^0.9.0", "workspace:^"])
      expect(found({ dependencies: { "@uncaged/b": range } })).toHaveLength(1);
    expect(found({ dependencies: { yaml: "2.9.0" } })).toEqual([
      "packages/b/package.json yaml 2.9.1 here, 2.9.0 in packages/a",
    ]);
  });

  it("finds a missing README and a licence that is not the root's", () => {
    expect(
      found({}, { "packages/c/package.json": JSON.stringify({ ...sound, name: "@uncaged/c" }) }),
    ).toEqual(["packages/c/LICENSE is not a copy of the root's LICENSE", "packages/c/README.md is missing"]);
    expect(found({}, { "packages/a/LICENSE": "GPL" })).toHaveLength(1);
  });

  it("finds nothing in this repository", () => {
    expect(formatProblems(checkManifests(readTree(repository)))).toBe("");
  });
});
