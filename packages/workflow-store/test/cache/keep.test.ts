import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CasRef } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { cacheSteps } from "../../src/index.js";
import { CHANGING, dyingAt, THREAD } from "../support/index.js";
import { bytesOf, chain, fileOf, keep, known, type Lab, openLab, plain, read } from "./support.js";

let lab: Lab;
let steps: readonly CasRef[];

beforeEach(async () => {
  lab = await openLab();
  steps = await chain(lab, 4);
});

/** What a step does after its run: the step that has become the head is put behind the others. */
function add(head: CasRef, next: CasRef, between: () => void = () => {}): boolean {
  const place = { storage: lab.storage, thread: THREAD, start: lab.start };
  const before = read(lab, head);
  const kept = cacheSteps(place, before.kept, before.lacking);
  between();
  const step = plain(lab, next).steps.at(-1)!;
  return kept !== null && cacheSteps(place, kept, [{ hash: next, step }]) !== null;
}

describe("cacheSteps", () => {
  it("adds a step at the file's end, and touches nothing before it", () => {
    keep(lab, steps[2]!);
    const before = bytesOf(lab)!;
    const { ino } = statSync(fileOf(lab));
    expect(add(steps[2]!, steps[3]!)).toBe(true);
    expect(statSync(fileOf(lab)).ino).toBe(ino);
    const seal = ',"0123456789ABC"]\n'.length;
    expect(bytesOf(lab)!.subarray(0, before.length - seal)).toEqual(before.subarray(0, before.length - seal));
    expect(known(lab, steps[3]!)).toBe(4);
  });

  it("gives the same file step by step as all at once", () => {
    keep(lab, steps[3]!);
    const atOnce = bytesOf(lab);
    rmSync(fileOf(lab));
    for (const [index, next] of steps.entries()) add(steps[index - 1] ?? lab.start, next);
    expect(bytesOf(lab)).toEqual(atOnce);
    expect(readdirSync(dirname(fileOf(lab)))).toEqual([`${THREAD}.json`]);
  });

  it("begins with the first step, and not before", () => {
    keep(lab, lab.start);
    expect(existsSync(lab.storage.paths.cache)).toBe(false);
    expect(add(lab.start, steps[0]!)).toBe(true);
    expect(known(lab, steps[0]!)).toBe(1);
  });

  it("drops the steps behind a head that was put back when another one follows it", async () => {
    keep(lab, steps[3]!);
    const [other] = await chain(lab, 1, steps[1]!);
    expect(add(steps[1]!, other!)).toBe(true);
    expect(bytesOf(lab)!.toString()).not.toContain(steps[3]!);
    expect(known(lab, other!)).toBe(3);
  });

  it("leaves a file as it is that another process has changed, and one that is gone", () => {
    const other = Buffer.from("somebody else's");
    expect(add(steps[1]!, steps[2]!, () => writeFileSync(fileOf(lab), other))).toBe(false);
    expect(bytesOf(lab)).toEqual(other);
    expect(add(steps[1]!, steps[2]!, () => rmSync(lab.storage.paths.cache, { recursive: true }))).toBe(false);
    expect(existsSync(lab.storage.paths.cache)).toBe(false);
    expect(keep(lab, steps[3]!)).toEqual(plain(lab, steps[3]!));
  });

  it("yields to a second writer that was faster", () => {
    expect(add(steps[1]!, steps[2]!, () => keep(lab, steps[3]!))).toBe(false);
    expect(known(lab, steps[3]!)).toBe(4);
  });

  it("keeps no history that is larger than a cache may be, and reads no such file", () => {
    const place = { storage: lab.storage, thread: THREAD, start: lab.start };
    const step = { ...plain(lab, steps[0]!).steps[0]!, output: "x".repeat(128 * 1024 * 1024) };
    expect(cacheSteps(place, { seal: null, steps: 0, of: 0 }, [{ hash: steps[0]!, step }])).toBeNull();
    expect(bytesOf(lab)).toBeNull();
    keep(lab, steps[1]!);
    truncateSync(fileOf(lab), 2 ** 40);
    expect(keep(lab, steps[2]!)).toEqual(plain(lab, steps[2]!));
    expect(known(lab, steps[2]!)).toBe(3);
  });
});

describe("two writers at once", () => {
  it("leave a file that is one of theirs, or that is noticed, wherever their writes are mixed", async () => {
    keep(lab, steps[2]!);
    const base = bytesOf(lab)!;
    const others = await Promise.all([1, 2].map((n) => lab.step(steps[2]!, { n, text: "x".repeat(20 * n) })));
    const [left, right] = others.map((head) => {
      writeFileSync(fileOf(lab), base);
      add(steps[2]!, head);
      return bytesOf(lab)!;
    });
    for (const [first, second] of [
      [left!, right!],
      [right!, left!],
    ] as const) {
      for (let cut = base.length - 20; cut <= Math.max(first.length, second.length); cut += 1) {
        writeFileSync(fileOf(lab), Buffer.concat([first.subarray(0, cut), second.subarray(cut)]));
        for (const head of [...others, steps[3]!]) expect(read(lab, head).context).toEqual(plain(lab, head));
      }
    }
  });
});

describe("a step that dies", () => {
  it("before any of its changes to the cache leaves one that is right or noticed", async () => {
    const story = (): Promise<void> => {
      for (const [index, next] of steps.entries()) add(steps[index - 1] ?? lab.start, next);
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
    add(steps[2]!, steps[3]!);
    const after = bytesOf(lab)!;
    const expected = steps.map((head) => plain(lab, head));
    for (const state of states(before, after)) {
      writeFileSync(fileOf(lab), state);
      for (const at of [2, 3]) expect(read(lab, steps[at]!).context).toEqual(expected[at]);
    }
  });
});
