import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { linearRegexEngine } from "../../src/engine/index.js";

const Linear = linearRegexEngine(RE2JS);

/** Patterns on which the two engines agree by their definitions. */
const PATTERNS = [
  /a/g,
  /a+/g,
  /(a)(b)?/g,
  /[a-c]+d?/g,
  /^a/g,
  /b$/g,
  /a|ab/g,
  /(?:ab)*c/gi,
  /^b/gm,
  /\d{2,3}/g,
  /\bA/gi,
];

describe("linearRegexEngine", () => {
  it("finds what the native engine finds, match by match", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "c", "d", "A", "1", "2", " ", "\n"),
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.constantFrom(...PATTERNS), text, (pattern, subject) => {
        expect(matches(new Linear(pattern), subject)).toEqual(matches(new RegExp(pattern), subject));
      }),
      { numRuns: 1_000 },
    );
  });

  it("compiles a regex once, however often an engine is made of it", () => {
    let compiled = 0;
    const counting = {
      translateRegExp: (regex: RegExp) => RE2JS.translateRegExp(regex),
      compile: (pattern: string) => {
        compiled += 1;
        return RE2JS.compile(pattern);
      },
    };
    const Engine = linearRegexEngine(counting);
    const regex = /a(b)/g;
    const engines = [new Engine(regex), new Engine(regex), new Engine(/c/g)];
    expect(compiled).toBe(2);
    expect(engines.map((engine) => engine.exec("xab")?.index)).toEqual([1, 1, undefined]);
    expect(engines.map(({ lastIndex }) => lastIndex)).toEqual([3, 3, 0]);
  });

  it("starts at lastIndex and resets it when nothing is found", () => {
    const engine = new Linear(/a/g);
    engine.lastIndex = 2;
    expect(engine.exec("a a")?.index).toBe(2);
    expect(engine.lastIndex).toBe(3);
    expect(engine.exec("a a")).toBeNull();
    expect(engine.lastIndex).toBe(0);
  });
});

type Engine = {
  lastIndex: number;
  exec: (text: string) => (readonly unknown[] & { readonly index: number }) | null;
};

function matches(engine: Engine, text: string): readonly unknown[] {
  const found: unknown[] = [];
  for (let match = engine.exec(text); match !== null && found.length < 50; match = engine.exec(text)) {
    found.push({ groups: [...match], index: match.index });
    if (match[0] === "") break;
  }
  return found;
}
