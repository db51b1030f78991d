import { existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcherText } from "../bins/launcher.js";
import { pack, unpack } from "../release/pack.js";
import { verifyPackage } from "../release/verify.js";
import { membersInOrder } from "../release/workspace.js";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree, manifest, temporaryDir, writeFiles } from "./support/tree.js";

const EXPORTS = { ".": { "uwf-source": "./src/index.ts", default: "./dist/index.js" } };
const BUNDLES = {
  "dist/bin/package.json": '{ "type": "commonjs" }\n',
  "dist/bin/THIRD-PARTY-LICENSES.txt": "a-library 1.0.0 (MIT)\n",
  "dist/bin/tool.js": "// uwf: made by build:bins\n",
  "dist/bun/tool.js": "// @bun @bytecode @bun-cjs\n",
  "dist/bun/tool.js.jsc": "bytecode",
};
const FILES = ["dist", "!dist/.tsbuildinfo", "bin"];

/** A built workspace of two packages; `a-tool` depends on `low`, and a private one that nobody publishes. */
function workspace(): string {
  const root = makeTree({
    "package.json": JSON.stringify({ name: "root", private: true, workspaces: ["packages/*"] }),
    "packages/low/package.json": manifest("low", { exports: EXPORTS, files: FILES }),
    "packages/low/src/index.ts": "",
    "packages/low/dist/index.js": "",
    "packages/low/src/plain.js": "",
    "packages/low/dist/plain.js": "",
    "packages/low/dist/.tsbuildinfo": "{}",
    "packages/a-tool/package.json": manifest("a-tool", {
      exports: EXPORTS,
      files: FILES,
      bin: { tool: "./bin/tool" },
      dependencies: { "@uncaged/low": "workspace:^" },
    }),
    "packages/a-tool/src/index.ts": "",
    "packages/a-tool/dist/.tsbuildinfo": "{}",
    "packages/a-tool/dist/index.js": "",
    "packages/a-tool/bin/tool*": launcherText("tool"),
    "packages/secret/package.json": manifest("secret", { private: true }),
  });
  for (const folder of ["low", "a-tool"]) {
    writeFiles(root, { [`packages/${folder}/LICENSE`]: "MIT", [`packages/${folder}/README.md`]: "#" });
  }
  writeFiles(join(root, "packages/a-tool"), BUNDLES);
  expect(run("bun", ["install"], { cwd: root }).code).toBe(0);
  return root;
}

function release(root: string, args: readonly string[], path: string | null = null): Ran {
  const script = join(repository, "scripts/publish-all.ts");
  const env = path === null ? {} : { PATH: `${path}${delimiter}${process.env.PATH}` };
  return run("bun", [script, "--root", root, ...args], { cwd: root, env });
}

describe.skipIf(onPath("bun") === null)("publish-all", () => {
  it("prints, with --dry-run, the order and the tarballs, and publishes nothing", () => {
    const root = workspace();
    const npm = fakeNpm("exit 1");
    expect(release(root, ["--dry-run", "--tag", "next"], npm)).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "would publish @uncaged/low@0.1.0 as next from uncaged-low-0.1.0.tgz",
        "would publish @uncaged/a-tool@0.1.0 as next from uncaged-a-tool-0.1.0.tgz\n",
      ].join("\n"),
    });
    expect(existsSync(join(npm, "calls"))).toBe(false);
  });

  it("resolves workspace ranges in the tarball, keeps the launcher executable, leaves build state out", () => {
    const members = membersInOrder(workspace());
    const tool = members[1];
    if (tool === undefined) throw new Error("no second package");
    const dir = unpack(pack(tool, temporaryDir()));
    expect(JSON.parse(readFileSync(join(dir, "package.json"), "utf8")).dependencies).toEqual({
      "@uncaged/low": "^0.1.0",
    });
    expect(existsSync(join(dir, "dist/.tsbuildinfo"))).toBe(false);
    for (const [file, text] of Object.entries(BUNDLES))
      expect(readFileSync(join(dir, file), "utf8")).toBe(text);
    expect(verifyPackage(dir, tool, members)).toEqual([]);
  });

  it("publishes in that order with the tag, and leaves out what npm already has", () => {
    const npm = fakeNpm('case "$*" in "view @uncaged/low@"*) echo 0.1.0 ;; view*) exit 1 ;; esac');
    const ran = release(workspace(), ["--tag", "next"], npm);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toBe("@uncaged/low@0.1.0 is already published\npublished @uncaged/a-tool@0.1.0\n");
    const calls = readFileSync(join(npm, "calls"), "utf8");
    expect(calls).toMatch(/^publish .*uncaged-a-tool-0\.1\.0\.tgz --access public --tag next$/m);
    expect(calls).not.toMatch(/^publish .*uncaged-low/m);
  });

  it("stops at the first package that npm refuses", () => {
    const npm = fakeNpm("exit 1");
    const ran = release(workspace(), [], npm);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stdout).toBe("npm publish of @uncaged/low@0.1.0 failed; nothing after it was tried\n");
  });

  it.each(Object.keys(BUNDLES).filter((file) => /\.jsc?$/.test(file)))(
    "refuses when %s is not built",
    (file) => {
      const root = workspace();
      rmSync(join(root, "packages/a-tool", file));
      expectRefusal(release(root, ["--dry-run"]), `packages/a-tool/${file} is missing`);
    },
  );

  it("refuses a package that is not compiled", () => {
    const root = workspace();
    rmSync(join(root, "packages/low/dist"), { recursive: true });
    expectRefusal(release(root, ["--dry-run"]), "packages/low/dist is missing");
    writeFiles(root, { "packages/low/dist/.tsbuildinfo": "{}" });
    expectRefusal(release(root, ["--dry-run"]), "exports names ./dist/index.js, which is missing");
  });

  it("refuses sources that are younger than what was compiled of them", () => {
    const root = workspace();
    const later = Date.now() / 1000 + 60;
    utimesSync(join(root, "packages/low/src/index.ts"), later, later);
    expectRefusal(release(root, ["--dry-run"]), "packages/low/dist is older than packages/low/src/index.ts");
  });

  it("refuses a launcher that is missing", () => {
    const root = workspace();
    rmSync(join(root, "packages/a-tool/bin"), { recursive: true });
    expectRefusal(release(root, ["--dry-run"]), "the bin ./bin/tool is missing");
  });

  it("refuses what a deleted source left behind", () => {
    const root = workspace();
    writeFiles(root, { "packages/low/dist/gone.js": "" });
    expectRefusal(release(root, ["--dry-run"]), "dist/gone.js has no source any more");
  });

  it("refuses a missing licence, and an option that it does not know", () => {
    const root = workspace();
    rmSync(join(root, "packages/low/LICENSE"));
    expectRefusal(release(root, ["--dry-run"]), "@uncaged/low: LICENSE is missing");
    expect(release(root, ["--dryrun"])).toMatchObject({ code: 1, stdout: "" });
  });

  it("refuses packages that depend on each other", () => {
    const root = workspace();
    writeFiles(root, {
      "packages/low/package.json": manifest("low", { dependencies: { "@uncaged/a-tool": "workspace:^" } }),
    });
    const ran = release(root, ["--dry-run"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("depend on each other");
  });
});

describe("the tarball check", () => {
  const members = [
    { folder: "low", dir: "/", manifest: { name: "@uncaged/low", version: "2.0.0" } },
  ] as const;

  function found(
    dependencies: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
  ) {
    const dir = makeTree({
      "package.json": manifest("x", { dependencies, bin: { tool: "./bin/tool" } }),
      LICENSE: "",
      "README.md": "",
      "bin/tool*": launcherText("tool"),
      ...BUNDLES,
      ...files,
    });
    return verifyPackage(dir, members[0], members);
  }

  it("has nothing to say about a sound package", () => {
    expect(found({ "@uncaged/low": "^2.0.0", yaml: "2.9.1" })).toEqual([]);
  });

  it("finds a workspace range that is left, and a version of ours that is not the one published", () => {
    expect(found({ "@uncaged/low": "workspace:^" })).toEqual([
      '@uncaged/x: @uncaged/low is still "workspace:^"',
    ]);
    expect(found({ "@uncaged/low": "^1.0.0" })).toEqual([
      '@uncaged/x: @uncaged/low is "^1.0.0", not "^2.0.0"',
    ]);
  });

  it("finds what the library imports and nobody installs", () => {
    const text = [
      'import { join } from "node:path";',
      'import * as Format from "typebox/format";',
      'export { parse } from "yaml";',
      'const load = () => import("@scope/late/part");',
      'const said = "import nothing";',
    ].join("\n");
    const problems = found({ yaml: "2.9.1" }, { "dist/index.js": text });
    expect(problems.filter((problem) => problem.includes(" imports "))).toEqual([
      "@uncaged/x: dist/index.js imports typebox, which is not in the dependencies; run `bun run build` again",
      "@uncaged/x: dist/index.js imports @scope/late, which is not in the dependencies; run `bun run build` again",
    ]);
  });

  it("finds a bin that is no launcher, is not executable, or has no bundle", () => {
    expect(found({}, { "bin/tool*": "#!/usr/bin/env node\n" })).toEqual([
      "@uncaged/x: the bin ./bin/tool is no launcher",
    ]);
    const dir = makeTree({ "package.json": manifest("x", { bin: { tool: "./bin/tool" } }), "bin/tool": "" });
    expect(verifyPackage(dir, members[0], members)).toEqual([
      "@uncaged/x: the bin ./bin/tool is not executable",
      "@uncaged/x: the bin ./bin/tool is no launcher",
      "@uncaged/x: dist/bin/package.json is missing",
      "@uncaged/x: dist/bin/THIRD-PARTY-LICENSES.txt is missing",
      "@uncaged/x: dist/bin/tool.js is missing",
      "@uncaged/x: dist/bun/tool.js is missing",
      "@uncaged/x: dist/bun/tool.js.jsc is missing",
      "@uncaged/x: LICENSE is missing",
      "@uncaged/x: README.md is missing",
    ]);
  });

  it("finds a bundle of the wrong kind, and one for bun without its bytecode", () => {
    expect(
      found(
        {},
        {
          "dist/bin/tool.js": "import x from 'x';\n",
          "dist/bun/tool.js": "// @bun\n",
          "dist/bun/tool.js.jsc": "",
          "dist/bun/lazy.js": "// @bun @bytecode @bun-cjs\n",
        },
      ),
    ).toEqual([
      "@uncaged/x: dist/bin/tool.js is no bundle of build:bins",
      "@uncaged/x: dist/bun/tool.js is no bundle of build:bins",
      "@uncaged/x: dist/bun/tool.js.jsc is empty",
      "@uncaged/x: dist/bun/lazy.js.jsc is missing",
    ]);
  });

  it("finds tests, build state and .env files", () => {
    expect(found({}, { "test/a.js": "", "dist/.tsbuildinfo": "", ".env": "" })).toHaveLength(3);
  });
});

/** A folder with an `npm` that writes down its arguments and then does what the script says. */
function fakeNpm(script: string): string {
  const dir = temporaryDir();
  writeFiles(dir, { "npm*": `#!/bin/sh\necho "$*" >> '${dir}/calls'\n${script}\n` });
  return dir;
}

function expectRefusal(ran: Ran, reason: string): void {
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain(reason);
  expect(ran.stderr).toContain("release: refused, nothing was published");
}
