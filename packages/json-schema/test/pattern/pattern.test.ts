import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { samplePattern } from "../../src/index.js";
import { compilePattern } from "../../src/pattern.js";
import { PatternError } from "../../src/pattern-syntax.js";

function same(pattern: string, text: string): void {
  expect([pattern, text, compilePattern(pattern).test(text)]).toEqual([
    pattern,
    text,
    new RegExp(pattern, "u").test(text),
  ]);
}

const PATTERNS = [
  "",
  "a",
  "^a$",
  "a|b|",
  "(a|b)*c",
  "^(a+)+$",
  "a{2}",
  "^a{2,3}$",
  "^a{2,}$",
  "a?b+?c*?",
  "(?:ab)+",
  "(?<year>\\d{4})-(?<month>\\d\\d)",
  "\\bfoo\\b",
  "\\Boo",
  "^[^a-c]$",
  "[\\d\\-_]",
  "[\\]]",
  "^.$",
  "\\.",
  "\\/",
  "^\\s+$",
  "\\S",
  "\\w+@\\w+",
  "\\p{L}",
  "^\\P{L}$",
  "\\u0061",
  "\\u{1F600}",
  "^\\ud83d\\ude00$",
  "\\x61",
  "\\cJ",
  "\\0",
  "\\t|\\n",
  "^$",
  "$^",
  "a$|^b",
  "x{0}y",
  "(?:)",
  "(a*)*",
  "(|a)+$",
  "^(?:a{0,3}){2}$",
];
const TEXTS = [
  "",
  "a",
  "b",
  "c",
  "aa",
  "aaa",
  "aaaa",
  "abc",
  "ab",
  "foo",
  "a foo b",
  "2024-05",
  "-",
  "_",
  "]",
  ".",
  "/",
  " ",
  "\u00a0",
  "\n",
  "\t",
  "\u2028",
  "é",
  "Ω",
  "😀",
  "\u0000",
  "me@home",
  "y",
  "bb",
  "xa",
  "ba",
];

describe("compilePattern", () => {
  it("answers as the native engine does", () => {
    for (const pattern of PATTERNS) for (const text of TEXTS) same(pattern, text);
  });

  it("answers as the native engine does for any structure", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "é", "");
    const group = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> => inner.map((text) => `(?:${text})`);
    const quantified = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc
        .tuple(group(inner), fc.constantFrom("", "*", "+", "?", "{2}", "{0,2}", "{1,}"))
        .map((parts) => parts.join(""));
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        atom,
        quantified(tie("pattern")),
        fc.array(tie("pattern"), { maxLength: 3 }).map((parts) => parts.join("")),
        fc.array(tie("pattern"), { minLength: 2, maxLength: 3 }).map((parts) => `(?:${parts.join("|")})`),
      ),
    }));
    const text = fc
      .array(fc.constantFrom("a", "b", "é", " ", "\n", "1"), { maxLength: 6 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (source, input) => same(source, input)),
      { numRuns: 2_000 },
    );
  });

  it("takes a long text through nested quantifiers in its stride", () => {
    const text = `${"a".repeat(200_000)}!`;
    expect(compilePattern("^(a+)+$").test(text)).toBe(false);
    expect(compilePattern("^(a|a)*$").test(text)).toBe(false);
    expect(compilePattern("(x+x+)+y").test("x".repeat(100_000))).toBe(false);
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ["a syntax error", "a{2,1}", /not a valid regular expression/],
    ["an escape that means nothing", "\\q", /not a valid/],
    ["a lookahead", "a(?=b)", /lookaround/],
    ["a negative lookahead", "a(?!b)", /lookaround/],
    ["a lookbehind", "(?<=a)b", /lookaround/],
    ["a negative lookbehind", "(?<!a)b", /lookaround/],
    ["a back-reference", "(a)\\1", /back-reference/],
    ["a named back-reference", "(?<n>a)\\k<n>", /back-reference/],
    ["a repetition too large", "a{100000}", /repeats too much/],
    ["repetitions that multiply", "((a{100}){100}){100}", /repeats too much/],
    [
      "groups nested without end",
      `${"(".repeat(50_000)}${")".repeat(50_000)}`,
      /nested too deep|not a valid/,
    ],
  ];
  for (const [what, pattern, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => compilePattern(pattern)).toThrow(PatternError);
      expect(() => compilePattern(pattern)).toThrow(message);
    });
  }

  it("repeats nothing a billion times at once", () => {
    expect(compilePattern("^(?:){999999999}$").test("")).toBe(true);
  });
});

describe("a sample of a pattern", () => {
  const patterns = [
    "^[A-Z]{2,3}-\\d+$",
    "^v?\\d+(\\.\\d+){2}$",
    "^(?:feat|fix)(\\([a-z]+\\))?: .+$",
    "^[^\\s/]+/[^\\s/]+$",
    "\\bword\\b",
    "^\\p{Lu}\\p{Ll}+$",
    "^\\x41\\u0042\\u{43}\\t$",
    "^[\\]\\-a]+$",
    "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
    "",
    "^$",
    "a|b",
  ];

  for (const pattern of patterns) {
    it(`fits ${pattern || "the empty pattern"}, with repetitions too`, () => {
      for (const extra of [0, 1, 5]) expect(samplePattern(pattern, extra)).toMatch(new RegExp(pattern, "u"));
    });
  }

  it("is null if a sample would be a guess", () => {
    expect(samplePattern("(a)\\1", 0)).toBeNull();
    expect(samplePattern("[a", 0)).toBeNull();
    expect(samplePattern("a)", 0)).toBeNull();
  });
});
