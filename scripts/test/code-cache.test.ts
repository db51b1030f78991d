import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree, manifest, temporaryDir } from "./support/tree.js";

// What stands in place of a large bundle for Node.js and keeps what V8 has compiled (scripts/bins/code-cache).

/** Enough code that keeping it is worth while; minified it is as long for every word of one length. */
function toolSays(word: string): Readonly<Record<string, string>> {
  const filler = Array.from(
    { length: 1500 },
    (_, n) => `export function filler${n}(): string { return "filler number ${n}"; }`,
  );
  const calls = Array.from({ length: 1500 }, (_, n) => `many.filler${n}().length`).join(" + ");
  return {
    "packages/tool/package.json": manifest("tool", { bin: { tool: "./bin/tool" } }),
    "packages/tool/src/many.ts": filler.join("\n"),
    "packages/tool/src/bin/tool.ts": [
      'import { readFileSync } from "node:fs";',
      'import { join } from "node:path";',
      'import * as many from "../many.js";',
      `function sum(): number { return ${calls}; }`,
      'const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));',
      'if (process.argv[2] === "short") { console.log("short"); process.exit(0); }',
      "const total: number = sum();",
      `console.log("${word}", total, version);`,
      'if (process.argv[2] === "fail") process.exit(3);',
    ].join("\n"),
  };
}

function build(word: string): string {
  const root = makeTree(toolSays(word));
  expect(run("bun", [join(repository, "scripts/build-bins.ts"), root], { cwd: root })).toMatchObject({
    code: 0,
    stderr: "",
  });
  const dist = join(root, "packages/tool/dist/bin");
  for (const name of readdirSync(dist)) utimesSync(join(dist, name), 1e9, 1e9);
  return join(dist, "tool.js");
}

type Setting = { readonly root: string; readonly env?: Readonly<Record<string, string>> };

const OF_RUN = { UWF_RUN: "token", UWF_HEAD: "0123456789ABC" };

function start(tool: string, { root, env = OF_RUN }: Setting, args: readonly string[] = []): Ran {
  const cleared = { UWF_RUN: "", UWF_HEAD: "", WORKFLOW_STORAGE_ROOT: "", HOME: root };
  return run("node", [tool, ...args], {
    cwd: temporaryDir(),
    env: { ...cleared, UNCAGED_WORKFLOW_STORAGE_ROOT: root, ...env },
  });
}

function kept(root: string): readonly string[] {
  const folder = join(root, "cache/code");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function onlyKept(root: string): string {
  const [file, ...more] = kept(root);
  expect(more).toEqual([]);
  return file ?? expect.fail("nothing is kept");
}

const said = (word: string) => ({ code: 0, stdout: `${word} 25890 0.1.0\n`, stderr: "" });

describe.skipIf(onPath("bun") === null)("the kept code of a bundle", () => {
  it("is written by the first run, readable by its owner only, and taken by the next", () => {
    const [tool, root] = [build("red"), temporaryDir()];
    expect(start(tool, { root })).toEqual(said("red"));
    const file = onlyKept(root);
    expect(file).toMatch(/\/cache\/code\/tool-v\d+\.\d+\.\d+-\w+\.bin$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const written: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      expect(start(tool, { root })).toEqual(said("red"));
      written.push(statSync(file).mtimeMs);
    }
    // Two more add what they compiled; the others only take it.
    const [second = 0, third = 0, ...later] = written;
    expect(third).toBeGreaterThan(second);
    expect(later).toEqual([third, third]);
  });

  it("adds what a first run, which took a short way, had not compiled", () => {
    const [tool, root] = [build("red"), temporaryDir()];
    expect(start(tool, { root }, ["short"])).toMatchObject({ code: 0, stdout: "short\n" });
    const short = statSync(onlyKept(root)).size;
    start(tool, { root });
    expect(statSync(onlyKept(root)).size).toBeGreaterThan(short * 1.5);
  });

  it("is told from that of another bundle, though length, time and name are the same", () => {
    const root = temporaryDir();
    const tools = [build("red"), build("sky")] as const;
    const lengths = tools.map((tool) => statSync(tool.replace(/\.js$/, ".code.js")).size);
    expect(lengths[0]).toBe(lengths[1]);
    for (const [index, word] of (["red", "sky", "red"] as const).entries()) {
      expect(start(tools[index % 2] ?? "", { root })).toEqual(said(word));
    }
  });

  it("is made anew whatever is damaged in it", () => {
    const [tool, root] = [build("red"), temporaryDir()];
    start(tool, { root });
    const file = onlyKept(root);
    const good = readFileSync(file);
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ 16;
      return bytes;
    };
    const places = [0, 4, 40, 250, 256, 1000, good.length >> 1, good.length - 300, good.length - 1];
    const damages = [
      ...places.map(flipped),
      good.subarray(0, good.length - 7),
      good.subarray(0, 256),
      good.subarray(0, 100),
      Buffer.alloc(0),
      Buffer.alloc(good.length),
      Buffer.concat([good, good]),
    ];
    for (const damage of damages) {
      writeFileSync(file, damage);
      expect(start(tool, { root })).toEqual(said("red"));
      const anew = readFileSync(file);
      expect(anew.subarray(0, 10).toString()).toBe("1 uwf-code");
      expect(anew.length).toBeGreaterThan(10_000);
    }
  });

  it.each([0o660, 0o644, 0o602])("is not believed with mode %o", (mode) => {
    const [tool, root] = [build("red"), temporaryDir()];
    for (let n = 0; n < 3; n += 1) start(tool, { root });
    const file = onlyKept(root);
    chmodSync(file, mode);
    expect(start(tool, { root })).toEqual(said("red"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file).subarray(0, 2).toString()).toBe("1 ");
  });

  it("is not believed as a copy: what comes with somebody else's storage root is not executed", () => {
    const [tool, root, cloned] = [build("red"), temporaryDir(), temporaryDir()];
    for (let n = 0; n < 3; n += 1) start(tool, { root });
    cpSync(root, cloned, { recursive: true });
    const file = onlyKept(cloned);
    // The text stands in both copies of the code.
    const forged = readFileSync(file, "latin1").replaceAll("red", "bad");
    writeFileSync(file, forged, "latin1");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(start(tool, { root: cloned })).toEqual(said("red"));
    writeFileSync(onlyKept(root), readFileSync(onlyKept(root), "latin1").replaceAll("red", "bad"), "latin1");
    // In its own place it would have been: this is what the copy is kept from.
    expect(start(tool, { root }).stdout).toBe(said("bad").stdout);
  });

  it("is neither read nor written through a link", () => {
    const [tool, root, elsewhere] = [build("red"), temporaryDir(), temporaryDir()];
    start(tool, { root });
    const file = onlyKept(root);
    const away = join(elsewhere, "away.bin");
    renameSync(file, away);
    symlinkSync(away, file);
    const before = readFileSync(away);
    expect(start(tool, { root })).toEqual(said("red"));
    expect(readFileSync(away)).toEqual(before);
    rmSync(join(root, "cache"), { recursive: true });
    symlinkSync(elsewhere, join(root, "cache"));
    expect(start(tool, { root })).toEqual(said("red"));
    expect(readdirSync(elsewhere)).toEqual(["away.bin"]);
  });

  it("is not kept of a run that fails, nor where there is no storage root, and nobody misses it", () => {
    const [tool, root] = [build("red"), temporaryDir()];
    expect(start(tool, { root }, ["fail"]).code).toBe(3);
    expect(kept(root)).toEqual([]);
    const gone = join(root, "gone");
    expect(start(tool, { root: gone })).toEqual(said("red"));
    expect(existsSync(gone)).toBe(false);
    mkdirSync(join(root, "cache"));
    writeFileSync(join(root, "cache/code"), "a file\n");
    expect(start(tool, { root })).toEqual(said("red"));
    expect(readFileSync(join(root, "cache/code"), "utf8")).toBe("a file\n");
  });

  it("is for runs only: a program that somebody starts reads and writes none", () => {
    const [tool, root] = [build("red"), temporaryDir()];
    for (const env of [{}, { UWF_RUN: "token" }, { UWF_HEAD: "0123456789ABC" }]) {
      expect(start(tool, { root, env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: root } })).toEqual(
        said("red"),
      );
    }
    expect(readdirSync(root)).toEqual([]);
  });
});
