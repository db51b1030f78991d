import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULTS } from "../../packages/workflow-protocol/src/index.js";
import { withoutWhens } from "../bins/siblings.js";
import { unbuiltBins } from "../release/built.js";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree, manifest, writeFiles } from "./support/tree.js";

const sources: Readonly<Record<string, string>> = {
  "packages/low/package.json": manifest("low"),
  "packages/low/src/index.ts": 'export const low: string = "low";\n',
  "packages/tool/package.json": manifest("tool", {
    bin: { tool: "./bin/tool" },
    sideEffects: false,
    dependencies: { "@uncaged/low": "workspace:^" },
  }),
  "packages/tool/src/common.ts": 'export const common: string = "common";\n',
  "packages/tool/src/lazy.ts":
    'import { common } from "./common.js";\nexport const lazy = ["lazy", common].join(" ");\n',
  "packages/tool/src/bin/tool.ts": [
    "#!/usr/bin/env node",
    'import { common } from "../common.js";',
    "export function main(): void {",
    '  if (process.argv[2] === "lazy") import("../lazy.js").then(({ lazy }) => console.log(lazy));',
    "  else console.log(common);",
    "}",
  ].join("\n"),
};

it("leaves out when each failure is met: documents and pages of help are made from the source", () => {
  const table = readFileSync(join(repository, "packages/workflow-protocol/src/faults/table.ts"), "utf8");
  const left = withoutWhens(table);
  for (const { when } of Object.values(FAULTS)) {
    expect(table).toContain(JSON.stringify(when));
    expect(left).not.toContain(JSON.stringify(when));
  }
});

function build(root: string): Ran {
  return run("bun", [join(repository, "scripts/build-bins.ts"), root], { cwd: root });
}

type Folder = "bin" | "bun";

/** What runs on what. */
const bundles: readonly (readonly [runtime: string, folder: Folder])[] = [
  ["node", "bin"],
  ["bun", "bun"],
];

function filesOf(root: string, folder: Folder): Readonly<Record<string, string>> {
  const dir = join(root, "packages/tool/dist", folder);
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), "latin1")]));
}

describe.skipIf(onPath("bun") === null)("build-bins", () => {
  it("starts every file with the banner, what is loaded lazily and sources with a #! line included", () => {
    const root = makeTree(sources);
    expect(build(root)).toMatchObject({ code: 0, stderr: "" });
    const files = filesOf(root, "bin");
    const { "package.json": said, "THIRD-PARTY-LICENSES.txt": licenses, ...made } = files;
    expect(JSON.parse(said ?? "")).toEqual({ type: "commonjs" });
    expect(Object.keys(made).sort()).toEqual([
      "lazy.js",
      "library-xxhash-wasm.js",
      "program-tool.js",
      "tool.js",
    ]);
    for (const text of Object.values(made)) expect(text).toMatch(/^\/\/ uwf: made by build:bins\n/);
    expect(licenses).toMatch(
      /^xxhash-wasm \d+\.\d+\.\d+ \(MIT\)\n\nThe MIT License[\s\S]*Permission is hereby granted/,
    );
  });

  it("makes a file with bytecode for bun of every entry, and of what it loads lazily", () => {
    const root = makeTree(sources);
    build(root);
    const files = filesOf(root, "bun");
    const names = ["lazy.js", "library-xxhash-wasm.js", "program-tool.js", "tool.js"];
    expect(Object.keys(files).sort()).toEqual(names.flatMap((name) => [name, `${name}.jsc`]));
    for (const name of names) expect(files[name]).toMatch(/^\/\/ @bun @bytecode @bun-cjs\n/m);
  });

  it.each(bundles)("makes what runs on %s out of dist/%s, lazy imports included", (runtime, folder) => {
    const root = makeTree(sources);
    build(root);
    const entry = join(root, "packages/tool/dist", folder, "tool.js");
    expect(run(runtime, [entry], { cwd: root }).stdout).toBe("common\n");
    expect(run(runtime, [entry, "lazy"], { cwd: root }).stdout).toBe("lazy common\n");
  });

  it.each(bundles)(
    "runs every module of a step's bundle when %s reads it, and of others when asked",
    (runtime, folder) => {
      const asks = [
        'console.log("read");',
        'export const ask = (): Promise<unknown> => import("./late.js");',
      ];
      const root = makeTree({
        ...sources,
        "packages/tool/package.json": manifest("tool", { bin: { tool: "./bin/tool" } }),
        "packages/tool/src/late.ts": 'console.log("late");\nexport const late: string = "asked";\n',
        "packages/tool/src/main-step.ts": asks.join("\n"),
        "packages/tool/src/other.ts": asks.join("\n"),
        "packages/tool/src/bin/tool.ts": [
          "export function main(): void {",
          '  const asked = process.argv[2] === "step" ? import("../main-step.js") : import("../other.js");',
          "  void asked.then(({ ask }) => ask()).then(({ late }: any) => console.log(late));",
          "}",
        ].join("\n"),
      });
      expect(build(root)).toMatchObject({ code: 0, stderr: "" });
      const entry = join(root, "packages/tool/dist", folder, "tool.js");
      expect(run(runtime, [entry, "step"], { cwd: root }).stdout).toBe("late\nread\nasked\n");
      expect(run(runtime, [entry, "other"], { cwd: root }).stdout).toBe("read\nlate\nasked\n");
    },
  );

  it.each(bundles)("keeps what is not ASCII on %s out of dist/%s, wherever it stands", (runtime, folder) => {
    const entry = [
      'const text: string = "·é😀";',
      "const match = /^[·é😀]+$/u.test(text) && /·/.test(text);",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the program
      "export const main = (): void => console.log(`${text} ·`, [...text].length, match);",
    ].join("\n");
    const root = makeTree({ ...sources, "packages/tool/src/bin/tool.ts": entry });
    build(root);
    const ran = run(runtime, [join(root, "packages/tool/dist", folder, "tool.js")], { cwd: root });
    expect(ran.stdout).toBe("·é😀 · 3 true\n");
  });

  it("gives the same bytes again, in another folder too, and leaves nothing of an earlier build", () => {
    const [first, second] = [makeTree(sources), makeTree(sources)];
    writeFiles(second, {
      "packages/tool/dist/bin/old.js": "old",
      "packages/tool/dist/bun/old.js.jsc": "old",
    });
    build(first);
    build(second);
    for (const folder of ["bin", "bun"] as const) {
      expect(filesOf(second, folder)).toEqual(filesOf(first, folder));
    }
  });

  it("reads neither the kit nor the program before XXH64 is started", () => {
    const kit = { "@uncaged/workflow-agent-kit": "workspace:^" };
    const root = makeTree({
      ...sources,
      "packages/tool/package.json": manifest("tool", { bin: { tool: "./bin/tool" }, dependencies: kit }),
    });
    build(root);
    const required = [...(filesOf(root, "bin")["tool.js"] ?? "").matchAll(/require\("(.*?)"\)/g)];
    const names = required.map(([, name = ""]) => name).filter((name) => !name.startsWith("node:"));
    expect(names).toEqual(["./library-xxhash-wasm.js", "./program-tool.js"]);
  });

  it("leaves a first file that Node.js 12 can read, so that it can say that it is too old", () => {
    const root = makeTree(sources);
    build(root);
    expect(filesOf(root, "bin")["tool.js"]).not.toMatch(/\?\.[a-z_$[(]|\?\?|(\|\||&&)=/i);
  });

  it("prints the size of every binary", () => {
    expect(build(makeTree(sources)).stdout).toMatch(/^tool\.js +\d+ kB at start, +\d+ kB in all\n$/);
  });

  it("names package, file and line of what cannot be bundled, and builds the others", () => {
    const root = makeTree({
      ...sources,
      "packages/broken/package.json": manifest("broken", { bin: { broken: "./bin/broken" } }),
      "packages/broken/src/bin/broken.ts": '\nimport "./gone.js";\n',
    });
    const ran = build(root);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("broken: cannot bundle broken.ts");
    expect(ran.stderr).toMatch(/broken\.ts:2:\d+ Could not resolve: "\.\/gone\.js"/);
    expect(existsSync(join(root, "packages/tool/dist/bin/tool.js"))).toBe(true);
  });

  it("fails when a bundle would look for a package on the user's machine", () => {
    const entry = 'export const main = async () => { try { await import("no-such-package"); } catch {} };\n';
    const ran = build(makeTree({ ...sources, "packages/tool/src/bin/tool.ts": entry }));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("no-such-package");
  });

  it("makes a launcher of every binary, and takes away one whose source is gone", () => {
    const root = makeTree({ ...sources, "packages/tool/bin/old*": "" });
    build(root);
    expect(readdirSync(join(root, "packages/tool/bin"))).toEqual(["tool"]);
    expect(run(join(root, "packages/tool/bin/tool"), [], { cwd: root }).stdout).toBe("common\n");
  });

  it("fails when package.json does not name a binary", () => {
    const ran = build(makeTree({ ...sources, "packages/tool/package.json": manifest("tool") }));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('tool: package.json does not say "tool": "./bin/tool"');
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
      "dist/bun/tool.js",
      "dist/bun/tool.js.jsc",
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
  const bundled = ["bin/tool.js", "bun/tool.js", "bun/tool.js.jsc"].map(
    (file) => `packages/tool/dist/${file}`,
  );
  const built = { ...sources, ...Object.fromEntries(bundled.map((file) => [file, "// @bun\n"])) };

  it("is content with bundles younger than all their sources", () => {
    const root = makeTree(built);
    for (const file of bundled) touch(root, file, 60);
    expect(unbuiltBins(root)).toEqual([]);
  });

  it("finds missing bundles, and missing bytecode", () => {
    expect(unbuiltBins(makeTree(sources))).toEqual(bundled.map((file) => `${file} is missing`));
  });

  it.each(bundled)("finds %s older than a source of its own or of a package it depends on", (old) => {
    for (const source of ["packages/tool/src/common.ts", "packages/low/src/index.ts"]) {
      const root = makeTree(built);
      for (const file of bundled) touch(root, file, file === old ? 60 : 180);
      touch(root, source, 120);
      expect(unbuiltBins(root)).toEqual([`${old} is older than ${source}`]);
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
