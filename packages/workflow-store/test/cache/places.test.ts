import { execFileSync } from "node:child_process";
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import type { CasRef } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { forgetHistory } from "../../src/history-cache.js";
import { snapshot, THREAD, tempRoot } from "../support/index.js";
import { chain, fileOf, keep, known, type Lab, openLab, plain } from "./support.js";

let lab: Lab;
let steps: readonly CasRef[];
let elsewhere: string;

beforeEach(async () => {
  lab = await openLab();
  steps = await chain(lab, 3);
  elsewhere = tempRoot();
  mkdirSync(dirname(fileOf(lab)), { recursive: true });
});

/** Everything that is done with a cache; what is seen must be right. */
function use(): void {
  for (const head of steps) expect(keep(lab, head)).toEqual(plain(lab, head));
  forgetHistory(lab.storage, THREAD);
  expect(keep(lab, steps[2]!)).toEqual(plain(lab, steps[2]!));
}

describe("what replaces a cache file", () => {
  it("is not followed where it is a link: neither read nor written, and replaced", () => {
    const target = join(elsewhere, "target");
    keep(lab, steps[1]!);
    writeFileSync(target, readFileSync(fileOf(lab)));
    rmSync(fileOf(lab));
    symlinkSync(target, fileOf(lab));
    const before = snapshot(elsewhere);
    expect(known(lab, steps[1]!)).toBe(0);
    expect(keep(lab, steps[2]!)).toEqual(plain(lab, steps[2]!));
    expect(snapshot(elsewhere)).toEqual(before);
    expect(lstatSync(fileOf(lab)).isFile()).toBe(true);
    expect(known(lab, steps[2]!)).toBe(3);
  });

  it("may be a link that leads nowhere: nothing appears there", () => {
    symlinkSync(join(elsewhere, "nothing"), fileOf(lab));
    use();
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("may be a named pipe, which is not waited for", () => {
    execFileSync("mkfifo", [fileOf(lab)]);
    use();
    expect(known(lab, steps[2]!)).toBe(3);
  });

  it("may be a folder, which stays", () => {
    mkdirSync(join(fileOf(lab), "mine"), { recursive: true });
    use();
    expect(existsSync(join(fileOf(lab), "mine"))).toBe(true);
    expect(readdirSync(dirname(fileOf(lab)))).toEqual([`${THREAD}.json`]);
  });

  it("may be a foreign file, which is replaced completely", () => {
    writeFileSync(fileOf(lab), "x".repeat(10_000));
    use();
    expect(known(lab, steps[2]!)).toBe(3);
  });

  it.each([
    ["a link", (path: string) => symlinkSync(join(elsewhere, "nothing"), path)],
    ["a file", (path: string) => writeFileSync(path, "left by a crash")],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path])],
  ])("may be made although %s is in its place", (_, plant) => {
    plant(fileOf(lab).replace(/json$/, "new"));
    use();
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("what replaces the cache's folders", () => {
  it.each([
    ["cache", () => lab.storage.paths.cache],
    ["cache/history", () => dirname(fileOf(lab))],
  ])("(%s) may be a link: nothing is written or removed behind it", (_, place) => {
    rmSync(place(), { recursive: true });
    const behind = join(elsewhere, "history", `${THREAD}.json`);
    mkdirSync(dirname(behind));
    writeFileSync(behind, "mine");
    writeFileSync(join(elsewhere, `${THREAD}.json`), "mine");
    symlinkSync(elsewhere, place());
    const before = snapshot(elsewhere);
    use();
    expect(snapshot(elsewhere)).toEqual(before);
  });

  it.each([
    ["cache", () => lab.storage.paths.cache],
    ["cache/history", () => dirname(fileOf(lab))],
  ])("(%s) may be a file, which stays", (_, place) => {
    rmSync(place(), { recursive: true });
    writeFileSync(place(), "mine");
    use();
    expect(readFileSync(place(), "utf8")).toBe("mine");
  });
});

const CALLS = [
  ...["openSync", "fstatSync", "lstatSync", "readSync", "closeSync"],
  ...["mkdirSync", "writeSync", "renameSync", "unlinkSync"],
];

type AnyFunction = (...args: unknown[]) => unknown;

/** Runs `action` while the system refuses every call to node:fs that `isRefused`; gives how many there were. */
function refusing(isRefused: (name: string, n: number) => string | null, action: () => void): number {
  const real = fs as unknown as Record<string, AnyFunction>;
  const originals = CALLS.map((name) => [name, real[name]!] as const);
  let calls = 0;
  for (const [name, original] of originals) {
    real[name] = (...args) => {
      calls += 1;
      const code = isRefused(name, calls);
      // What is refused to close is closed all the same.
      if (code === null || name === "closeSync") return original(...args);
      throw Object.assign(new Error(`${code}: refused by the test, ${name}`), {
        code,
        errno: -1,
        syscall: name,
      });
    };
  }
  syncBuiltinESMExports();
  try {
    action();
  } finally {
    for (const [name, original] of originals) real[name] = original;
    syncBuiltinESMExports();
  }
  return calls;
}

describe("a cache that the system refuses", () => {
  it.each(["EACCES", "EIO", "ENOSPC", "EROFS", "EMFILE"])(
    "at one call or another (%s) fails nothing, and is right or noticed afterwards",
    (code) => {
      const all = refusing(() => null, use);
      expect(all).toBeGreaterThan(40);
      for (let n = 1; n <= all; n += 1) {
        rmSync(lab.storage.paths.cache, { recursive: true, force: true });
        refusing((_, at) => (at === n ? code : null), use);
        use();
      }
    },
  );

  it.each([
    ["which may not be read", ["openSync"]],
    ["which may not be written", ["writeSync", "mkdirSync", "renameSync", "unlinkSync"]],
    ["of a disk that is full", ["writeSync"]],
    ["of which nothing may be known", CALLS],
  ])("for good, %s, fails nothing", (_, names) => {
    refusing((name) => (names.includes(name) ? "EACCES" : null), use);
    expect(existsSync(fileOf(lab).replace(/json$/, "new"))).toBe(false);
  });
});
