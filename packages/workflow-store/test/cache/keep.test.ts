import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CasRef } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { cacheHistory } from "../../src/history-cache.js";
import { CHANGING, dyingAt, THREAD } from "../support/index.js";
import { bytesOf, chain, fileOf, keep, known, type Lab, openLab, plain, read } from "./support.js";

let lab: Lab;
let steps: readonly CasRef[];

beforeEach(async () => {
  lab = await openLab();
  steps = await chain(lab, 4);
});

describe("cacheHistory", () => {
  it("gives the same file step by step as all at once", () => {
    keep(lab, steps[3]!);
    const atOnce = bytesOf(lab);
    rmSync(fileOf(lab));
    for (const head of steps) keep(lab, head);
    expect(bytesOf(lab)).toEqual(atOnce);
    expect(readdirSync(dirname(fileOf(lab)))).toEqual([`${THREAD}.json`]);
  });

  it("begins with the first step, and not before", () => {
    keep(lab, lab.start);
    expect(existsSync(lab.storage.paths.cache)).toBe(false);
    keep(lab, steps[0]!);
    expect(known(lab, steps[0]!)).toBe(1);
  });

  it("drops the steps behind a head that was put back when another one follows it", async () => {
    keep(lab, steps[3]!);
    const [other] = await chain(lab, 1, steps[1]!);
    keep(lab, other!);
    expect(bytesOf(lab)!.toString()).not.toContain(steps[3]!);
    expect(known(lab, other!)).toBe(3);
  });

  it("replaces a file that somebody else has changed", () => {
    keep(lab, steps[1]!);
    writeFileSync(fileOf(lab), "somebody else's");
    keep(lab, steps[2]!);
    expect(known(lab, steps[2]!)).toBe(3);
  });

  it("keeps no history that is larger than a cache may be, and reads no such file", () => {
    const step = { ...plain(lab, steps[0]!).steps[0]!, output: "x".repeat(128 * 1024 * 1024) };
    cacheHistory(lab.storage, THREAD, lab.start, { steps: [{ hash: steps[0]!, step }], known: 0 });
    expect(bytesOf(lab)).toBeNull();
    keep(lab, steps[1]!);
    truncateSync(fileOf(lab), 2 ** 40);
    expect(keep(lab, steps[2]!)).toEqual(plain(lab, steps[2]!));
    expect(known(lab, steps[2]!)).toBe(3);
  });
});

describe("a step that dies", () => {
  it("before any of its changes to the cache leaves one that is right or noticed", async () => {
    const story = (): Promise<void> => {
      for (const head of steps) keep(lab, head);
      return Promise.resolve();
    };
    expect(CHANGING).toContain("writeSync");
    let survived: number | null = null;
    for (let n = 1; survived === null; n += 1) {
      rmSync(lab.storage.paths.cache, { recursive: true, force: true });
      survived = await dyingAt(n, story);
      for (const head of steps) expect(read(lab, head).context).toEqual(plain(lab, head));
      expect(keep(lab, steps[3]!)).toEqual(plain(lab, steps[3]!));
      expect(known(lab, steps[3]!)).toBe(4);
    }
    expect(survived).toBeGreaterThan(10);
  });
});

describe("a power cut", () => {
  /** What a file system may have of a write that nobody synced. */
  function* states(before: Buffer, after: Buffer): Generator<Buffer> {
    for (const block of [1, 16, 512, 4096]) {
      for (let lost = 0; lost < after.length; lost += Math.max(block, 7)) {
        const torn = Buffer.from(after);
        torn.fill(0, lost, Math.min(lost + block, torn.length));
        yield torn;
      }
      for (let size = before.length; size < after.length; size += block) {
        yield Buffer.concat([before, Buffer.alloc(size - before.length)]);
        yield Buffer.concat([after.subarray(0, size), Buffer.alloc(after.length - size)]);
      }
    }
    yield Buffer.alloc(after.length);
    yield Buffer.alloc(0);
  }

  it("leaves a cache that is right or noticed", () => {
    keep(lab, steps[2]!);
    const before = bytesOf(lab)!;
    keep(lab, steps[3]!);
    const after = bytesOf(lab)!;
    const expected = steps.map((head) => plain(lab, head));
    for (const state of states(before, after)) {
      writeFileSync(fileOf(lab), state);
      for (const at of [2, 3]) expect(read(lab, steps[at]!).context).toEqual(expected[at]);
    }
  });
});
