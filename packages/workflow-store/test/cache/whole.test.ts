import { readdirSync } from "node:fs";
import type { JsonValue } from "@uncaged/json-cas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeHistory } from "../../src/history-cache.js";
import { knownPast, openHistory } from "../../src/index.js";
import { bad, good, snapshot, THREAD, threadAt } from "../support/index.js";
import { bytesOf, chain, keep, known, type Lab, openLab, plain, read } from "./support.js";

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

describe("the complete history of a thread", () => {
  it.each([0, 1, 2, 9])("is the same with a cache as without, at %d steps", async (length) => {
    const lab = await openLab();
    const head = (await chain(lab, length)).at(-1) ?? lab.start;
    const expected = plain(lab, head);
    expect(keep(lab, head)).toEqual(expected);
    expect(keep(lab, head)).toEqual(expected);
    expect(JSON.stringify(read(lab, head).context)).toBe(JSON.stringify(expected));
  });

  it("is read from the nodes as far as the cache lacks it", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 20);
    keep(lab, steps[16]!);
    const history = good(openHistory(lab.storage.cas, steps[19]!));
    lab.reads();
    const whole = good(wholeHistory(lab.storage, THREAD, history));
    expect(whole.known).toBe(17);
    expect(whole.steps.map(({ hash }) => hash)).toEqual(steps);
    // Two steps behind the head, and the outputs of all three.
    expect(lab.reads()).toHaveLength(5);
  });

  it("reads no node but those of the head when the cache is up to date", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 20);
    keep(lab, steps[19]!);
    const history = good(openHistory(lab.storage.cas, steps[19]!));
    lab.reads();
    expect(good(wholeHistory(lab.storage, THREAD, history)).known).toBe(20);
    expect(lab.reads()).toEqual([]);
  });

  it("grows with the thread", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 12);
    for (const head of [lab.start, ...steps]) expect(keep(lab, head)).toEqual(plain(lab, head));
    expect(known(lab, steps[11]!)).toBe(12);
  });

  it("uses the part of the cache that is of this history where the head was put back", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 6);
    keep(lab, steps[5]!);
    const kept = bytesOf(lab);
    expect(known(lab, steps[2]!)).toBe(3);
    expect(keep(lab, steps[2]!)).toEqual(plain(lab, steps[2]!));
    expect(bytesOf(lab)).toEqual(kept);
    const [other] = await chain(lab, 1, steps[2]!);
    expect(known(lab, other!)).toBe(3);
    expect(keep(lab, other!)).toEqual(plain(lab, other!));
    expect(known(lab, other!)).toBe(4);
  });

  it("of a fork shares what its thread has in common with the cache that it finds", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 4);
    const fork = await chain(lab, 3, steps[1]!);
    keep(lab, steps[3]!);
    expect(known(lab, fork[2]!, threadAt(2))).toBe(0);
    expect(known(lab, fork[2]!)).toBe(2);
    expect(keep(lab, fork[2]!)).toEqual(plain(lab, fork[2]!));
  });

  it("consists of deeply frozen steps, as what the nodes give", async () => {
    const lab = await openLab();
    const head = await lab.step(null, { list: [{ a: [1, {}] }, []], none: null });
    for (const { start, steps } of [keep(lab, head), read(lab, head).context])
      expect([start, ...steps].every(isFrozen)).toBe(true);
  });

  it("returns every value exactly as the store holds it", async () => {
    const lab = await openLab();
    const values: JsonValue[] = [
      [0, -0, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 2 ** 64, 1e21, 1e308, 5e-324, 0.1, -1.5, 1 / 3],
      JSON.parse('{"__proto__": {"a": 1}, "constructor": null, "toJSON": "x", "2": 1, "1": 2, "": []}'),
      { "\u0000": "\u0000\u001f\u2028\u2029\u007f\ufeff", "😀": 'é\r\n\t"\\' },
      "just a text",
      null,
    ];
    let head: Awaited<ReturnType<Lab["step"]>> | null = null;
    for (const value of values) head = await lab.step(head, value);
    const expected = plain(lab, head!);
    keep(lab, head!);
    const { context, known: taken } = read(lab, head!);
    expect(taken).toBe(values.length);
    expect(context).toStrictEqual(expected);
    expect(JSON.stringify(context)).toBe(JSON.stringify(expected));
  });

  it("does so for values of any shape", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ depthSize: "medium" }), { minLength: 1, maxLength: 4 }),
        async (values) => {
          const lab = await openLab();
          let head: Awaited<ReturnType<Lab["step"]>> | null = null;
          for (const value of values) head = await lab.step(head, wellFormed(value));
          keep(lab, head!);
          const { context, known: taken } = read(lab, head!);
          expect(taken).toBe(values.length);
          expect(context).toStrictEqual(plain(lab, head!));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is CHAIN_DAMAGED where a node that the cache lacks is missing", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 6);
    keep(lab, steps[2]!);
    const cas = {
      ...lab.storage.cas,
      get: (hash: string) => (hash === steps[4] ? null : lab.storage.cas.get(hash as never)),
    };
    const lame = { ...lab.storage, cas };
    const history = good(openHistory(cas, steps[5]!));
    expect(bad(wholeHistory(lame, THREAD, history))).toMatchObject({ code: "CHAIN_DAMAGED", node: steps[4] });
  });

  it("is read without a write", async () => {
    const lab = await openLab();
    const steps = await chain(lab, 3);
    read(lab, steps[2]!);
    expect(readdirSync(lab.storage.root)).toEqual([]);
    keep(lab, steps[1]!);
    const before = snapshot(lab.storage.root);
    read(lab, steps[2]!);
    good(knownPast(lab.storage, THREAD, good(openHistory(lab.storage.cas, steps[2]!))));
    expect(snapshot(lab.storage.root)).toEqual(before);
  });
});

/** fast-check makes lone surrogates, which no store takes. */
function wellFormed(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f][0-9a-f]{2}/gi, "x"));
}
