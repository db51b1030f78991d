import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath, repository, run } from "./support/run.js";
import { makeTree, manifest } from "./support/tree.js";

// The cache is of Node.js 22.8 and newer. Here `enableCompileCache` is one that prints what it is given.
const PRELOAD = 'require("node:module").enableCompileCache = (folder) => console.log(folder);\n';

/** Starts a built binary; gives the folder that it lets Node.js keep compiled code in. */
function folderOf(root: string, env: Readonly<Record<string, string>>): string {
  const bundle = join(root, "packages/tool/dist/bin/tool.js");
  const clean = { HOME: undefined, XDG_CACHE_HOME: undefined, ...env };
  const ran = run("node", ["--require", join(root, "preload.cjs"), bundle], { cwd: root, env: clean });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout.trim();
}

function build(files: Readonly<Record<string, string>> = {}): string {
  const root = makeTree({
    "preload.cjs": PRELOAD,
    "packages/tool/package.json": manifest("tool", { bin: { tool: "./bin/tool" } }),
    "packages/tool/src/bin/tool.ts": "export function main(): void {}\n",
    "home/.keep": "",
    "elsewhere/.keep": "",
    "nothing.cjs": "",
    ...files,
  });
  const built = run("bun", [join(repository, "scripts/build-bins.ts"), root], { cwd: root });
  expect(built).toMatchObject({ code: 0, stderr: "" });
  return root;
}

describe.skipIf(onPath("bun") === null)("compiled code on Node.js", () => {
  it("is kept in the user's cache folder, which nobody else can read", () => {
    const root = build();
    const folder = join(root, "home/.cache/uwf");
    expect(folderOf(root, { HOME: join(root, "home") })).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const other = join(root, "elsewhere");
    expect(folderOf(root, { HOME: join(root, "home"), XDG_CACHE_HOME: other })).toBe(join(other, "uwf"));
  });

  it("is kept nowhere where others may write, through a link, in a file's place, or without a home", () => {
    const root = build();
    const open = join(root, "open/uwf");
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o770);
    mkdirSync(join(root, "linked"));
    symlinkSync(join(root, "elsewhere"), join(root, "linked/uwf"));
    const places = [join(root, "open"), join(root, "linked"), join(root, "preload.cjs")];
    for (const place of places) expect(folderOf(root, { XDG_CACHE_HOME: place })).toBe("");
    expect(folderOf(root, { XDG_CACHE_HOME: "relative", HOME: "relative" })).toBe("");
    expect(folderOf(root, {})).toBe("");
  });

  it("has all of what a step runs, and of other bundles what is compiled when they are read", () => {
    const kept = [
      'require("node:module").enableCompileCache = () => {};',
      'require("node:module").getCompileCacheDir = () => "/somewhere";',
      'require("node:v8").setFlagsFromString = (flag) => console.log(flag);',
    ].join("\n");
    const root = build({
      "kept.cjs": kept,
      "packages/tool/src/bin/tool.ts": `export const main = (): unknown =>
        process.argv[2] === "step" ? import("../main-step.js") : import("../main-other.js");`,
      "packages/tool/src/main-step.ts": 'console.log("step");\nexport {};\n',
      "packages/tool/src/main-other.ts": 'console.log("other");\nexport {};\n',
    });
    const said = (preload: string, word: string): string =>
      run("node", ["--require", join(root, preload), join(root, "packages/tool/dist/bin/tool.js"), word], {
        cwd: root,
        env: { HOME: undefined, XDG_CACHE_HOME: undefined },
      }).stdout;
    expect(said("kept.cjs", "step")).toBe("--no-lazy\n--lazy\nstep\n");
    expect(said("kept.cjs", "other")).toBe("other\n");
    expect(said("nothing.cjs", "step")).toBe("step\n");
  });
});
