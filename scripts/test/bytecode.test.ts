import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree, manifest, temporaryDir, writeFiles } from "./support/tree.js";

// The second bundle of every binary, dist/bun/<name>.js with <name>.js.jsc: what can be in it, and where it runs.

const VERSION = 'join(import.meta.dirname, "../../package.json")';

/** A binary that prints its argument and the version in its own package.json. */
const PRINTER = [
  'import { readFileSync } from "node:fs";',
  'import { join } from "node:path";',
  `const { version } = JSON.parse(readFileSync(${VERSION}, "utf8"));`,
  "console.log(process.argv[2], version);",
].join("\n");

function makeTool(entry: string, more: Readonly<Record<string, string>> = {}): string {
  return makeTree({
    "packages/tool/package.json": manifest("tool", { bin: { tool: "./bin/tool" } }),
    "packages/tool/src/bin/tool.ts": `${entry}\nexport function main(): void {}\n`,
    ...more,
  });
}

function build(root: string): Ran {
  return run("bun", [join(repository, "scripts/build-bins.ts"), root], { cwd: root });
}

function makeBuilt(entry: string): string {
  const root = makeTool(entry);
  expect(build(root)).toMatchObject({ code: 0, stderr: "" });
  return join(root, "packages/tool");
}

/** Runs it in a folder of its own; the engine of bun says on stderr whether it took the bytecode. */
function start(dir: string, argument: string): { readonly stdout: string; readonly bytecode: boolean } {
  const { code, stdout, stderr } = run("bun", [join(dir, "dist/bun/tool.js"), argument], {
    cwd: temporaryDir(),
    env: { BUN_JSC_verboseDiskCache: "1" },
  });
  expect(code, stderr).toBe(0);
  return { stdout, bytecode: /cache hit/i.test(stderr) };
}

describe.skipIf(onPath("bun") === null)("the bundle for bun", () => {
  it("holds no path of the folder it was built in, and runs in another, from its bytecode", () => {
    const built = makeBuilt(PRINTER);
    const folder = join(built, "dist/bun");
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "latin1");
      for (const path of [built, encodeURI(built), repository]) expect(text).not.toContain(path);
    }
    const moved = join(temporaryDir(), "somewhere else");
    renameSync(built, moved);
    expect(start(moved, "a")).toEqual({ stdout: "a 0.1.0\n", bytecode: true });
  });

  it("runs from its source when the bytecode is missing, damaged, or another program's", () => {
    const [dir, other] = [makeBuilt(PRINTER), makeBuilt('console.log("other", process.argv[2]);')];
    const file = join(dir, "dist/bun/program-tool.js.jsc");
    const bytes = readFileSync(file);
    const fromSource = { stdout: "a 0.1.0\n", bytecode: false };
    rmSync(join(dir, "dist/bun/tool.js.jsc"));
    rmSync(file);
    expect(start(dir, "a")).toEqual(fromSource);
    for (const text of ["", "not bytecode", bytes.subarray(0, bytes.length / 2).toString("latin1")]) {
      writeFiles(dir, { "dist/bun/program-tool.js.jsc": text });
      expect(start(dir, "a")).toEqual(fromSource);
    }
    copyFileSync(join(other, "dist/bun/program-tool.js.jsc"), file);
    expect(start(dir, "a")).toEqual(fromSource);
  });

  it("cannot have a top-level await, which the build says with file and line", () => {
    const waits = 'const wait = async () => 1;\nawait wait();\nexport const common = "common";\n';
    const common = 'import { common } from "../common.js";\nconsole.log(common);\n';
    for (const [entry, file] of [
      [waits, "bin/tool.ts"],
      [common, "common.ts"],
    ] as const) {
      const root = makeTool(entry, { "packages/tool/src/common.ts": waits });
      const ran = build(root);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(
        new RegExp(
          `^tool: cannot bundle tool\\.ts\\n.*/src/${file}:2:\\d+ \`await\` outside of a function: .*\\n`,
        ),
      );
      expect(ran.stderr.split("\n")).toHaveLength(4);
      expect(existsSync(join(root, "packages/tool/dist"))).toBe(false);
    }
  });

  it.each([
    ["import.meta.url", "holds a path of this machine"],
    ["import.meta.path", "holds a path of this machine"],
    ["__dirname", "holds a path of this machine"],
    ["import.meta.env", "has no bytecode"],
  ])("cannot ask for %s, which the build says", (expression, reason) => {
    const root = makeTool(`console.log(${expression});\n`);
    const ran = build(root);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      `tool.js ${reason}; of import.meta only dirname and filename can be used in it`,
    );
    expect(existsSync(join(root, "packages/tool/dist/bun"))).toBe(false);
  });

  it("can ask for import.meta.filename, its own file where it is installed", () => {
    const built = makeBuilt("console.log(import.meta.filename);\n");
    for (const [runtime, folder] of [
      ["node", "bin"],
      ["bun", "bun"],
    ] as const) {
      const file = realpathSync(join(built, "dist", folder, "program-tool.js"));
      expect(run(runtime, [file], { cwd: built })).toEqual({ code: 0, stdout: `${file}\n`, stderr: "" });
    }
  });

  it("cannot load two modules of one name lazily, which the build says", () => {
    const entry = 'void import("../a/same.js");\nvoid import("../b/same.js");\n';
    const same = (value: string) => `console.log("${value}");\nexport const same = 1;\n`;
    const files = { "packages/tool/src/a/same.ts": same("a"), "packages/tool/src/b/same.ts": same("b") };
    const ran = build(makeTool(entry, files));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("same.js");
  });

  it("makes a file of its own of the module that the moderator's evaluator process runs", () => {
    const engine = "packages/workflow-moderator/src/engine";
    const entry = [
      'const load = () => import("../../../workflow-moderator/src/engine/load.js");',
      "void load().then((made) => made.loadUrl()).then((url) => console.log(url));",
    ].join("\n");
    const root = makeTool(entry, {
      [`${engine}/load.ts`]:
        'export const loadUrl = async (): Promise<string> => (await import("./serve.js")).evaluator.url;\n',
      [`${engine}/serve.js`]: "export const evaluator = { url: import.meta.url, serve: () => 7 };\n",
    });
    expect(build(root)).toMatchObject({ code: 0, stderr: "" });
    const url = start(join(root, "packages/tool"), "").stdout.trim();
    const code = `import(${JSON.stringify(url)}).then((m) => console.log(m.default.evaluator.serve()))`;
    expect(url).toContain("/packages/tool/dist/bun/evaluator.js");
    expect(run("bun", ["-e", code], { cwd: root }).stdout).toBe("7\n");
  });
});
