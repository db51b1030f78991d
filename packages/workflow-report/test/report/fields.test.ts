import { describe, expect, it } from "vitest";
import { reportOf } from "../../src/index.js";
import { facts, step } from "../support/facts.js";

/** The fields of a second visit. */
function fields(before: object, after: object) {
  const output = (value: object) => ({ output: JSON.parse(JSON.stringify(value)) });
  const { steps } = reportOf(facts([step("writer", 1, output(before)), step("writer", 2, output(after))]));
  return steps[1]?.fields() ?? [];
}

describe("the fields of an output", () => {
  it("are its values by their path; texts are texts, everything else is JSON", () => {
    const output = {
      approved: true,
      count: 3,
      phases: [{ title: "One" }, { title: "Two" }],
      empty: [],
      none: null,
    };
    const { steps } = reportOf(facts([step("writer", 1, { output })]));
    expect(steps[0]?.fields().map(({ path, kind, value }) => [path, kind, value])).toEqual([
      ["approved", "data", "true"],
      ["count", "data", "3"],
      ["phases.0.title", "text", "One"],
      ["phases.1.title", "text", "Two"],
      ["empty", "data", "[]"],
      ["none", "data", "null"],
    ]);
  });

  it("have no change at a role's first visit", () => {
    const { steps } = reportOf(facts([step("writer", 1)]));
    expect(steps[0]?.fields().map(({ change }) => change)).toEqual([null]);
  });

  it("are compared with the role's previous visit", () => {
    const found = fields({ same: "a", changed: "b", gone: "c" }, { same: "a", changed: "d", new: "e" });
    expect(found.map(({ path, change }) => [path, change])).toEqual([
      ["same", "same"],
      ["changed", "changed"],
      ["new", "new"],
      ["gone", "gone"],
    ]);
  });

  it("stand one after the other where nearly nothing is the same", () => {
    expect(fields({ a: "Say which option had the wrong value." }, { a: "Ship it." })[0]?.diff).toEqual([
      { kind: "gone", text: "Say which option had the wrong value." },
      { kind: "same", text: " → " },
      { kind: "new", text: "Ship it." },
    ]);
    expect(fields({ a: "one\ntwo" }, { a: "three" })[0]?.diff?.[1]).toEqual({ kind: "same", text: "\n" });
  });

  it("tell a text from a value that is written the same", () => {
    expect(fields({ a: "true" }, { a: true })[0]).toMatchObject({ change: "changed", kind: "data" });
  });

  it("are compared word by word", () => {
    const [found] = fields({ a: "Two tests are missing." }, { a: "Two new tests are there." });
    expect(found?.diff).toEqual([
      { kind: "same", text: "Two " },
      { kind: "new", text: "new " },
      { kind: "same", text: "tests are " },
      { kind: "gone", text: "missing" },
      { kind: "new", text: "there" },
      { kind: "same", text: "." },
    ]);
  });

  it("give both texts back: what is gone and the same is the old one, what is new and the same the new one", () => {
    const before = "The cat sat on the mat.\n\nIt was  old; nobody knew.\n";
    const after = "A cat lay on the mat,\nand it was old.\n";
    const diff = fields({ a: before }, { a: after })[0]?.diff ?? [];
    const text = (left: string) =>
      diff
        .filter(({ kind }) => kind !== left)
        .map((part) => part.text)
        .join("");
    expect([text("new"), text("gone")]).toEqual([before, after]);
  });

  it("are not compared word by word where that would take long", () => {
    const words = (seed: number) =>
      Array.from({ length: 3000 }, (_, at) => `w${(at * seed) % 2999}`).join(" ");
    expect(fields({ a: words(7) }, { a: words(11) })[0]).toMatchObject({ change: "changed", diff: null });
    expect(fields({ a: "x".repeat(30_000) }, { a: "y" })[0]).toMatchObject({ change: "changed", diff: null });
  });

  it("are JSON where there are too many, or too deep", () => {
    const list = Array.from({ length: 60 }, (_, at) => at);
    const deep = { a: { b: { c: { d: { e: 1 } } } } };
    const { steps } = reportOf(facts([step("writer", 1, { output: { list, deep } })]));
    expect(steps[0]?.fields().map(({ path, kind }) => [path, kind])).toEqual([
      ["list", "data"],
      ["deep.a.b.c", "data"],
    ]);
  });
});
