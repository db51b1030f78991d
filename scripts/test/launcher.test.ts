import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcherText } from "../bins/launcher.js";
import { lack } from "../bins/runtime.js";
import { onPath, type Ran, run } from "./support/run.js";
import { makeTree, writeFiles } from "./support/tree.js";

const COMMONJS = '{ "type": "commonjs" }\n';

/** Both bundles are CommonJS. */
const NODE_HEAD = `const { spawnSync } = require("node:child_process");
const { chunk } = require("./chunk-1.js");
`;

const BUN_HEAD = `// @bun @bun-cjs
(function(exports, require, module, __filename, __dirname) {
const { spawnSync } = require("node:child_process");
const { chunk } = require("./chunk-1.js");
`;

const PROBE = `if (process.env.UWF_LAUNCH_FOLDER) process.chdir((process.env.PWD = process.env.UWF_LAUNCH_FOLDER));
delete process.env.UWF_LAUNCH_FOLDER;

const { env, argv, versions } = process;
console.log(JSON.stringify({
  format: typeof module === "undefined" ? "module" : "commonjs",
  runtime: versions.bun === undefined ? "node" : "bun",
  args: argv.slice(2),
  cwd: process.cwd(),
  child: [spawnSync("/bin/pwd").stdout.toString().trim(), env.PWD, env.UWF_LAUNCH_FOLDER ?? null],
  path: env.PATH,
  roots: [env.UNCAGED_WORKFLOW_STORAGE_ROOT ?? null, env.WORKFLOW_STORAGE_ROOT ?? null],
  head: [env.UWF_HEAD ?? null, spawnSync("/bin/sh", ["-c", "echo $UWF_HEAD"], { env }).stdout.toString().trim()],
  ignored: env.UWF_IGNORED_SIGNALS ?? "",
  chunk,
}));
`;

const ENVIRONMENT = { UNCAGED_WORKFLOW_STORAGE_ROOT: undefined, WORKFLOW_STORAGE_ROOT: undefined };

/** An installation as npm makes it: the package, and a link to its launcher in node_modules/.bin. */
function install(): { readonly root: string; readonly link: string } {
  const root = makeTree({
    "node_modules/tool/package.json": JSON.stringify({ name: "tool", type: "module" }),
    "node_modules/tool/bin/tool*": launcherText("tool"),
    "node_modules/tool/dist/bin/tool.js": `${NODE_HEAD}${PROBE}`,
    "node_modules/tool/dist/bun/tool.js": `${BUN_HEAD}${PROBE}})\n`,
    "node_modules/tool/dist/bun/chunk-1.js": "// @bun\nexport const chunk = 1;\n",
    "node_modules/tool/dist/bin/chunk-1.js": "exports.chunk = 1;\n",
    "node_modules/tool/dist/bin/package.json": COMMONJS,
    "here/.keep": "",
  });
  const link = join(root, "node_modules", ".bin", "tool");
  mkdirSync(dirname(link));
  symlinkSync("../tool/bin/tool", link);
  return { root, link };
}

/** Everything known by which the current folder could speak to a runtime before our first line. */
function plantHostility(dir: string): void {
  const environment = "UNCAGED_WORKFLOW_STORAGE_ROOT=/evil\nWORKFLOW_STORAGE_ROOT=/evil\n";
  const bunfig = 'preload = ["./evil.js"]\n[run]\npreload = ["./evil.js"]\n';
  const paths = JSON.stringify({
    compilerOptions: { baseUrl: ".", paths: { "*": ["./evil.js"], "./chunk-1.js": ["./evil.js"] } },
  });
  writeFiles(dir, {
    "evil.js": 'console.log("EVIL");\nexport const chunk = "evil";\n',
    ".env": environment,
    ".env.local": environment,
    ".env.development": environment,
    ".env.production": environment,
    "bunfig.toml": bunfig,
    ".bunfig.toml": bunfig,
    "tsconfig.json": paths,
    "jsconfig.json": paths,
    "node.config.json": JSON.stringify({ nodeOptions: { import: ["./evil.js"] } }),
    "package.json": JSON.stringify({
      type: "commonjs",
      scripts: { tool: "echo EVIL", "bin/tool": "echo EVIL" },
    }),
  });
}

function outputOf(ran: Ran): unknown {
  expect(ran.stderr).toBe("");
  expect(ran.code).toBe(0);
  return JSON.parse(ran.stdout);
}

const runtimes = ["node", ...(onPath("bun") === null ? [] : ["bun"])];

describe.each(runtimes)("a launcher on %s", (runtime) => {
  const env = { ...ENVIRONMENT, UWF_RUNTIME: runtime };

  it("runs through npm's link with the arguments as they were given", () => {
    const { root, link } = install();
    const args = ["a b", "--help", "$HOME", "", "-e", "--", "*"];
    const cwd = join(root, "here");
    expect(outputOf(run(link, args, { cwd, env }))).toEqual({
      format: "commonjs",
      runtime,
      args,
      cwd,
      child: [cwd, cwd, null],
      path: process.env.PATH,
      roots: [null, null],
      head: [null, ""],
      ignored: "",
      chunk: 1,
    });
  });

  it("says so where the current folder is gone", () => {
    const { root, link } = install();
    const words = ["-c", 'mkdir gone && cd gone && rmdir ../gone && "$1"', "sh", link];
    const ran = run("sh", words, { cwd: join(root, "here"), env });
    expect(ran.code).toBe(74);
    expect(ran.stderr).toContain("error[IO_FAILED]: the current folder is gone\nhint: cd to ");
  });

  it("passes on a -- that comes first", () => {
    const { root, link } = install();
    const args = ["--", "--", "x"];
    expect(outputOf(run(link, args, { cwd: join(root, "here"), env }))).toMatchObject({ args });
  });

  it("runs through a chain of links on PATH, by a relative PATH entry, and as an argument of sh", () => {
    const { root, link } = install();
    const here = join(root, "here");
    symlinkSync(link, join(here, "first"));
    symlinkSync("first", join(here, "second"));
    const found = { runtime, args: ["x"], cwd: here, roots: [null, null], chunk: 1 };
    const withPath = (path: string) => ({
      cwd: here,
      env: { ...env, PATH: `${path}${delimiter}${process.env.PATH}` },
    });
    expect(outputOf(run("sh", ["-c", "second x"], withPath(here)))).toMatchObject(found);
    expect(outputOf(run("sh", ["-c", "second x"], withPath("../here")))).toMatchObject(found);
    expect(outputOf(run("sh", ["second", "x"], { cwd: here, env }))).toMatchObject(found);
  });

  it("starts nothing that a relative entry of PATH leads to, and does not pass such entries on", () => {
    const { root, link } = install();
    const here = join(root, "here");
    const planted = ["node", "bun", "sub dir/node", "sub dir/bun"].map((name) => [
      `${name}*`,
      "#!/bin/sh\necho EVIL\n",
    ]);
    writeFiles(here, Object.fromEntries(planted));
    const path = ["", ".", "sub dir", "../here", process.env.PATH, "*", "./sub dir", ""].join(delimiter);
    const ran = outputOf(run(link, ["x"], { cwd: here, env: { ...env, PATH: path } }));
    expect(ran).toMatchObject({ runtime, args: ["x"], cwd: here, path: process.env.PATH });
  });

  it("runs through npx without asking the registry", () => {
    const { root } = install();
    const ran = run("npx", ["--no-install", "tool", "x"], { cwd: root, env });
    expect(JSON.parse(ran.stdout)).toMatchObject({ runtime, args: ["x"] });
  });

  it("lets nothing in the current folder or above it run code or change the environment", () => {
    const { root, link } = install();
    const hostile = join(root, "hostile");
    plantHostility(hostile);
    mkdirSync(join(hostile, "below"));
    for (const cwd of [hostile, join(hostile, "below")]) {
      expect(outputOf(run(link, [], { cwd, env }))).toEqual({
        format: "commonjs",
        runtime,
        args: [],
        cwd,
        child: [cwd, cwd, null],
        path: process.env.PATH,
        roots: [null, null],
        head: [null, ""],
        ignored: "",
        chunk: 1,
      });
    }
  });

  it("is not taken for a script of the current folder's package.json", () => {
    const { root, link } = install();
    const hostile = join(root, "hostile");
    plantHostility(hostile);
    symlinkSync(link, join(hostile, "tool"));
    mkdirSync(join(hostile, "bin"));
    symlinkSync(link, join(hostile, "bin", "tool"));
    for (const path of ["tool", "bin/tool"]) {
      expect(outputOf(run("sh", [path], { cwd: hostile, env }))).toMatchObject({ runtime, chunk: 1 });
    }
  });
});

describe("the choice of the runtime", () => {
  const folderOf = (program: string): string => dirname(onPath(program) ?? "");

  it("is Node.js where there is no bun", () => {
    const { root, link } = install();
    const tools = join(root, "tools");
    mkdirSync(tools);
    symlinkSync(onPath("node") ?? "", join(tools, "node"));
    const ran = run("/bin/sh", [link], { cwd: root, env: { ...ENVIRONMENT, UWF_RUNTIME: "", PATH: tools } });
    expect(outputOf(ran)).toMatchObject({ runtime: "node" });
  });

  const VERSION = (text: string): string => `#!/bin/sh\n[ "$1" = --version ] && echo ${text}\n`;
  const UNUSABLE: readonly (readonly [what: string, bun: string, lacks: string])[] = [
    ["is too old", VERSION("1.2.23"), "the bun on PATH is 1.2.23"],
    ["is of the first version", VERSION("1.0"), "the bun on PATH is 1.0"],
    ["is from before the first version", VERSION("0.8.1"), "the bun on PATH is 0.8.1"],
    ["crashes", "#!/bin/sh\nkill -ILL $$\n", "the bun on PATH does not start"],
    ["fails", "#!/bin/sh\necho broken >&2\nexit 9\n", "the bun on PATH does not start"],
    ["prints nothing", "#!/bin/sh\n", "the bun on PATH does not start"],
    ["is for another processor", "\u007fELF\u0002\u0001\u0001", "the bun on PATH does not start"],
  ];

  it.each(UNUSABLE)("is Node.js where bun %s, unless UWF_RUNTIME says bun", (_what, bun, lacks) => {
    const { root, link } = install();
    writeFiles(root, { "broken/bun*": bun });
    const path = [join(root, "broken"), folderOf("node"), "/usr/bin", "/bin"].join(delimiter);
    const env = { ...ENVIRONMENT, PATH: path, UWF_RUNTIME: "" };
    expect(outputOf(run(link, [], { cwd: root, env }))).toMatchObject({ runtime: "node" });
    expect(run(link, [], { cwd: root, env: { ...env, UWF_RUNTIME: "bun" } })).toEqual({
      code: 127,
      stdout: "",
      stderr: `error: tool needs bun 1.3 or Node.js 20.19, or newer; ${lacks}\nhint: install one of them\n`,
    });
  });

  it.each(["1.3.0", "1.10.2", "2.0.0", "1.4.0-canary.3"])("is bun %s", (version) => {
    const { root, link } = install();
    writeFiles(root, {
      "new/bun*": `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "bun runs"\n`,
    });
    const path = [join(root, "new"), "/usr/bin", "/bin"].join(delimiter);
    const ran = run(link, ["x"], { cwd: root, env: { ...ENVIRONMENT, PATH: path, UWF_RUNTIME: "" } });
    expect(ran).toEqual({ code: 0, stdout: "bun runs\n", stderr: "" });
  });

  it.each([
    ["18.20.8", true, "this is Node.js 18.20.8"],
    ["20.18.3", true, "this is Node.js 20.18.3"],
    ["21.7.3", false, "this is Node.js 21.7.3"],
    ["22.0.0", false, "this is Node.js 22.0.0"],
    ["20.19.0", true, null],
    ["26.1.0", true, null],
  ])("of Node.js %s is the first file's to judge", (version, hasBuiltinModules, lacks) => {
    expect(lack(version, hasBuiltinModules)).toBe(lacks);
  });

  it.each([
    ["", []],
    ["trap '' HUP; ", ["HUP"]],
    ["trap '' TERM INT HUP; ", ["HUP", "INT", "TERM"]],
    ["export UWF_IGNORED_SIGNALS=HUP; trap '' INT; ", ["HUP", "INT"]],
  ])("takes along the signals that its caller ignores: %j", (before, ignored) => {
    const { root, link } = install();
    const ran = run("/bin/sh", ["-c", `${before}exec "$0"`, link], { cwd: root, env: ENVIRONMENT });
    expect(outputOf(ran)).toMatchObject({ ignored: ignored.join(" ") });
  });

  it("refuses another value, and a runtime that is not there, in a sentence", () => {
    const { root, link } = install();
    const env = { ...ENVIRONMENT, UWF_RUNTIME: "deno" };
    expect(run(link, [], { cwd: root, env })).toEqual({
      code: 2,
      stdout: "",
      stderr: "error[USAGE]: UWF_RUNTIME is bun or node, not deno\n",
    });
    const ran = run("/bin/sh", [link], { cwd: root, env: { UWF_RUNTIME: "", PATH: join(root, "here") } });
    expect(ran).toMatchObject({ code: 127, stdout: "" });
    expect(ran.stderr).toContain("there is no node on PATH");
  });
});
