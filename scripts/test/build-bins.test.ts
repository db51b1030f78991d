import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unbuiltBins } from "../release/built.mjs";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree, manifest, writeFiles } from "./support/tree.js";

const sources: Readonly<Record<string, string>> = {
  "packages/low/package.json": manifest("low"),
  "packages/low/src/index.ts": 'export const low: string = "low";\n',
  "packages/tool/package.json": manifest("tool", {
    bin: { tool: "./bin/tool" },
    dependencies: { "@uncaged/low": "workspace:^" },
  }),
  "packages/tool/src/common.ts": 'export const common: string = "common";\n',
  "packages/tool/src/lazy.ts":
    'import { common } from "./common.js";\nexport const lazy = ["lazy", common].join(" ");\n',
  "packages/tool/src/bin/tool.ts": [
    "#!/usr/bin/env node",
    'import { common } from "../common.js";',
    'console.log(process.argv[2] === "lazy" ? (await import("../lazy.js")).lazy : common);',
  ].join("\n"),
};

function build(root: string): Ran {
  return run("bun", [join(repository, "scripts/build-bins.ts"), root], { cwd: root });
}

function filesOf(root: string): Readonly<Record<string, string>> {
  const dir = join(root, "packages/tool/dist/bin");
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), "utf8")]));
}

describe.skipIf(onPath("bun") === null)("build-bins", () => {
  it("starts every file with the banner, chunks and sources with a #! line included", () => {
    const root = makeTree(sources);
    expect(build(root)).toMatchObject({ code: 0, stderr: "" });
    const files = filesOf(root);
    expect(Object.keys(files)).toContain("tool.js");
    expect(Object.keys(files).filter((name) => name.startsWith("chunk-"))).not.toEqual([]);
    for (const text of Object.values(files)) expect(text).toMatch(/^\/\/ @bun\n/);
  });

  it.each(["node", "bun"])("makes what runs on %s, lazy imports included", (runtime) => {
    const root = makeTree(sources);
    build(root);
    const entry = join(root, "packages/tool/dist/bin/tool.js");
    expect(run(runtime, [entry], { cwd: root }).stdout).toBe("common\n");
    expect(run(runtime, [entry, "lazy"], { cwd: root }).stdout).toBe("lazy common\n");
  });

  it.each(["node", "bun"])("keeps what is not ASCII on %s, in strings, templates and patterns", (runtime) => {
    const entry = [
      'const text: string = "·é😀";',
      "const match = /^[·é😀]+$/u.test(text) && /·/.test(text);",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the program
      "console.log(`${text} ·`, [...text].length, match);",
    ].join("\n");
    const root = makeTree({ ...sources, "packages/tool/src/bin/tool.ts": entry });
    build(root);
    expect(run(runtime, [join(root, "packages/tool/dist/bin/tool.js")], { cwd: root }).stdout).toBe(
      "·é😀 · 3 true\n",
    );
  });

  it("gives the same bytes again, in another folder too, and leaves nothing of an earlier build", () => {
    const [first, second] = [makeTree(sources), makeTree(sources)];
    writeFiles(second, { "packages/tool/dist/bin/old.js": "old" });
    build(first);
    build(second);
    expect(filesOf(second)).toEqual(filesOf(first));
  });

  it("prints the size of every binary", () => {
    expect(build(makeTree(sources)).stdout).toMatch(/^tool\.js +\d+ kB at start, +\d+ kB in all\n$/);
  });

  it("names package, file and line of what cannot be bundled, and builds the others", () => {
    const root = makeTree({
      ...sources,
      "packages/broken/package.json": manifest("broken"),
      "packages/broken/src/bin/broken.ts": '\nimport "./gone.js";\n',
    });
    const ran = build(root);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("broken: cannot bundle broken.ts");
    expect(ran.stderr).toMatch(/broken\.ts:2:\d+ Could not resolve: "\.\/gone\.js"/);
    expect(existsSync(join(root, "packages/tool/dist/bin/tool.js"))).toBe(true);
  });

  it("fails when a bundle would look for a package on the user's machine", () => {
    const entry = 'try { await import("no-such-package"); } catch { console.log("none"); }\n';
    const ran = build(makeTree({ ...sources, "packages/tool/src/bin/tool.ts": entry }));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("no-such-package");
  });

  it("fails when a launcher has no bundle", () => {
    const { "packages/tool/src/bin/tool.ts": _entry, ...rest } = sources;
    const ran = build(makeTree(rest));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("tool: bin/tool has no bundle, src/bin/tool.ts is missing");
  });
});

describe.skipIf(onPath("bun") === null)("sweep-dist", () => {
  it("deletes what was compiled from sources that are gone, and nothing else", () => {
    const kept = [
      "dist/index.js",
      "dist/index.d.ts",
      "dist/plain.js",
      "dist/.tsbuildinfo",
      "dist/bin/tool.js",
    ];
    const gone = ["dist/gone.js", "dist/gone.d.ts", "dist/deep/gone.js"];
    const root = makeTree({
      "packages/a/src/index.ts": "",
      "packages/a/src/plain.js": "",
      ...Object.fromEntries([...kept, ...gone].map((file) => [`packages/a/${file}`, ""])),
    });
    expect(run("bun", [join(repository, "scripts/sweep-dist.ts"), root], { cwd: root }).code).toBe(0);
    expect(kept.filter((file) => !existsSync(join(root, "packages/a", file)))).toEqual([]);
    expect(gone.filter((file) => existsSync(join(root, "packages/a", file)))).toEqual([]);
  });
});

describe("the check before vitest and before a release", () => {
  const built = { ...sources, "packages/tool/dist/bin/tool.js": "// @bun\n" };

  it("is content with a bundle younger than all its sources", () => {
    const root = makeTree(built);
    touch(root, "packages/tool/dist/bin/tool.js", 60);
    expect(unbuiltBins(root)).toEqual([]);
  });

  it("finds a missing bundle", () => {
    expect(unbuiltBins(makeTree(sources))).toEqual(["packages/tool/dist/bin/tool.js is missing"]);
  });

  it("finds a bundle older than a source of its own or of a package it depends on", () => {
    for (const source of ["packages/tool/src/common.ts", "packages/low/src/index.ts"]) {
      const root = makeTree(built);
      touch(root, "packages/tool/dist/bin/tool.js", 60);
      touch(root, source, 120);
      expect(unbuiltBins(root)).toEqual([`packages/tool/dist/bin/tool.js is older than ${source}`]);
    }
  });

  function touch(root: string, file: string, secondsAhead: number): void {
    const time = Date.now() / 1000 + secondsAhead;
    utimesSync(join(root, file), time, time);
  }
});

describe.skipIf(onPath("bun") === null)("bun's own test runner", () => {
  it("fails with a pointer to `bun run test`", () => {
    const root = makeTree({ "a.test.ts": 'import { it } from "vitest";\nit("passes", () => {});\n' });
    mkdirSync(join(root, "scripts"));
    for (const file of ["bunfig.toml", "scripts/no-bun-test.ts"]) {
      copyFileSync(join(repository, file), join(root, file));
    }
    const ran = run("bun", ["test"], { cwd: root });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("`bun run test`");
  });
});
