import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { resolveStorageRoot } from "../../src/index.js";
import { chosenRoot } from "../../src/storage.js";
import { bad, good, tempRoot } from "../support/index.js";

const LONG = "UNCAGED_WORKFLOW_STORAGE_ROOT";
const SHORT = "WORKFLOW_STORAGE_ROOT";

describe("resolveStorageRoot", () => {
  it.each([
    ["the long variable first", { [LONG]: "/a", [SHORT]: "/b" }, "/a"],
    ["the short one next", { [SHORT]: "/b" }, "/b"],
    ["the home's folder last", {}, "/none/home/.uncaged/workflow"],
    ["set but empty as unset", { [LONG]: "", [SHORT]: "" }, "/none/home/.uncaged/workflow"],
    ["an empty long one as unset beside a short one", { [LONG]: "", [SHORT]: "/b" }, "/b"],
    ["a relative path from the working directory", { [LONG]: "state" }, "/none/cwd/state"],
    ["a path with dots from the working directory", { [SHORT]: "../x" }, "/none/x"],
  ])("takes %s", (_, env, expected) => {
    expect(good(resolveStorageRoot({ env, cwd: "/none/cwd", home: "/none/home" }))).toBe(expected);
  });

  it.each([
    "/",
    "/a",
    "/a/",
    "//a",
    "/a//b",
    "/a/.",
    "/./a",
    "/a/..",
    "/../a",
    "/.a",
    "/a..",
    "/a/.../b",
    ".",
    "a/b",
  ])("takes %s for what it means", (path) => {
    expect(chosenRoot({ env: { [LONG]: path }, cwd: "/none/cwd", home: null })).toBe(
      resolve("/none/cwd", path),
    );
  });

  it.each([null, ""])("says that there is no home when home is %j", (home) => {
    expect(bad(resolveStorageRoot({ env: {}, cwd: "/none", home }))).toMatchObject({
      code: "STORAGE_ROOT_UNUSABLE",
      reason: expect.stringContaining("HOME"),
    });
  });

  it("needs no home when a variable names the root", () => {
    expect(resolveStorageRoot({ env: { [LONG]: "/a" }, cwd: "/", home: null }).ok).toBe(true);
  });

  it("accepts a folder and one that does not exist yet", () => {
    const root = tempRoot();
    mkdirSync(join(root, "there"));
    for (const name of ["there", "not-yet"]) {
      expect(resolveStorageRoot({ env: { [LONG]: name }, cwd: root, home: null }).ok).toBe(true);
    }
  });

  it("refuses a root that is a file, and one below a file", () => {
    const root = tempRoot();
    writeFileSync(join(root, "file"), "");
    for (const name of ["file", "file/below"]) {
      expect(bad(resolveStorageRoot({ env: { [LONG]: name }, cwd: root, home: null })).code).toBe(
        "STORAGE_ROOT_UNUSABLE",
      );
    }
  });

  it("refuses a path with a NUL instead of crashing", () => {
    expect(bad(resolveStorageRoot({ env: { [LONG]: "a\0b" }, cwd: "/", home: null })).code).toBe(
      "STORAGE_ROOT_UNUSABLE",
    );
  });
});
