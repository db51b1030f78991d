import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findLocalWorkflow, findLocalWorkflows } from "../../src/documents/index.js";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-local-")));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "name: x\n");
  return file;
}

function found(cwd: string, name: string): string | null | undefined {
  const result = findLocalWorkflow(join(root, cwd), name);
  return result.ok ? (result.value?.file ?? null) : undefined;
}

describe("findLocalWorkflow", () => {
  it("takes <name>.yaml, <name>.yml and <name>/index.yaml, in this order", () => {
    const index = put(".workflows", "a", "index.yaml");
    expect(found(".", "a")).toBe(index);
    const yml = put(".workflows", "a.yml");
    expect(found(".", "a")).toBe(yml);
    const yaml = put(".workflows", "a.yaml");
    expect(found(".", "a")).toBe(yaml);
  });

  it("looks through the parents up to the root of the repository, and no further", () => {
    mkdirSync(join(root, "repo", ".git"), { recursive: true });
    mkdirSync(join(root, "repo", "deep", "down"), { recursive: true });
    put(".workflows", "outside.yaml");
    const inside = put("repo", ".workflows", "inside.yaml");
    expect(found("repo/deep/down", "inside")).toBe(inside);
    expect(found("repo/deep/down", "outside")).toBeNull();
  });

  it("takes the nearest folder that has the name", () => {
    mkdirSync(join(root, ".git"));
    const far = put(".workflows", "a.yaml");
    const other = put(".workflows", "b.yaml");
    const near = put("sub", ".workflows", "a.yaml");
    expect(found("sub", "a")).toBe(near);
    expect(found("sub", "b")).toBe(other);
    expect(found(".", "a")).toBe(far);
  });

  it("takes a worktree's .git file for the root of a repository", () => {
    writeFileSync(join(root, ".git"), "gitdir: elsewhere\n");
    const file = put(".workflows", "a.yaml");
    mkdirSync(join(root, "sub"));
    expect(found("sub", "a")).toBe(file);
  });

  it("finds the folders of one's own parents outside a repository", () => {
    const file = put(".workflows", "a.yaml");
    mkdirSync(join(root, "sub"));
    expect(found("sub", "a")).toBe(file);
  });

  it.each(["../a", "a/b", "..", ".", "", "A", "a.yaml", "a b", "-a", "a--b", "constructor\0", "/etc/passwd"])(
    "never makes a path of a name that is none: %j",
    (name) => {
      put("a.yaml");
      put(".workflows", "a.yaml");
      expect(found(".", name)).toBeNull();
    },
  );

  it("finds nothing for a name that is too long for a file", () => {
    put(".workflows", "a.yaml");
    expect(found(".", "a".repeat(5000))).toBeNull();
  });

  it("refuses a link that leads out of the folder, or nowhere", () => {
    const secret = put("secret.yaml");
    put(".workflows", "a.yaml");
    symlinkSync(secret, join(root, ".workflows", "out.yaml"));
    symlinkSync("nowhere", join(root, ".workflows", "gone.yaml"));
    symlinkSync("a.yaml", join(root, ".workflows", "alias.yaml"));
    const refusal = {
      ok: false,
      error: { code: "INVALID_INPUT", what: join(root, ".workflows", "out.yaml") },
    };
    expect(findLocalWorkflow(root, "out")).toMatchObject(refusal);
    expect(findLocalWorkflow(root, "gone")).toMatchObject({ ok: false });
    expect(found(".", "alias")).toBe(join(root, ".workflows", "alias.yaml"));
    expect(findLocalWorkflows(root).map(({ name }) => name)).toEqual(["a", "alias"]);
  });

  it("passes over a .workflows that leads out of the repository, or is a file", () => {
    mkdirSync(join(root, "repo", ".git"), { recursive: true });
    put("elsewhere", "a.yaml");
    symlinkSync(join(root, "elsewhere"), join(root, "repo", ".workflows"));
    expect(found("repo", "a")).toBeNull();
    mkdirSync(join(root, "repo", "sub"));
    writeFileSync(join(root, "repo", "sub", ".workflows"), "");
    expect(found("repo/sub", "a")).toBeNull();
  });
});

describe("findLocalWorkflows", () => {
  it("lists every name once, sorted, the nearest first", () => {
    mkdirSync(join(root, ".git"));
    put(".workflows", "b.yaml");
    put(".workflows", "a.yml");
    put(".workflows", "c", "index.yaml");
    put(".workflows", "empty", "readme.md");
    put(".workflows", "Not-A-Name.yaml");
    put(".workflows", "notes.txt");
    const near = put("sub", ".workflows", "b.yaml");
    expect(findLocalWorkflows(join(root, "sub"))).toEqual([
      { name: "a", file: join(root, ".workflows", "a.yml") },
      { name: "b", file: near },
      { name: "c", file: join(root, ".workflows", "c", "index.yaml") },
    ]);
  });

  it("is empty where there is no folder", () => {
    mkdirSync(join(root, ".git"));
    expect(findLocalWorkflows(root)).toEqual([]);
  });
});
