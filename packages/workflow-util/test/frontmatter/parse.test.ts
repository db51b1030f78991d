import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseFrontmatterMarkdown } from "../../src/frontmatter/index.js";

function dataOf(yaml: string): unknown {
  const parsed = parseFrontmatterMarkdown(`---\n${yaml}\n---\nbody`);
  if (!parsed.ok) throw new Error(parsed.error.join("; "));
  return parsed.value.data;
}

function errorsOf(yaml: string): readonly string[] {
  const parsed = parseFrontmatterMarkdown(`---\n${yaml}\n---\nbody`);
  return parsed.ok ? [] : parsed.error;
}

describe("the fields of a block", () => {
  it.each([
    ["a: no\nb: yes\nc: on\nd: off\ne: y", { a: "no", b: "yes", c: "on", d: "off", e: "y" }],
    ["a: true\nb: False\nc: NULL\nd: ~\ne:", { a: true, b: false, c: null, d: null, e: null }],
    [
      "a: 2020-01-01\nb: 2020-01-01T00:00:00Z\nc: 12:30",
      { a: "2020-01-01", b: "2020-01-01T00:00:00Z", c: "12:30" },
    ],
    [
      "a: 1e3\nb: 0x1F\nc: 0o17\nd: 0777\ne: 1_000\nf: -0.5",
      { a: 1000, b: 31, c: 15, d: 777, e: "1_000", f: -0.5 },
    ],
    ["a: 9007199254740991\nb: -9007199254740991", { a: 9007199254740991, b: -9007199254740991 }],
    ["a: '9007199254740993'\nb: \"true\"", { a: "9007199254740993", b: "true" }],
    ["a: [1, {b: c}]\nd:\n  - e\n  - f: g", { a: [1, { b: "c" }], d: ["e", { f: "g" }] }],
    ["a: |\n  x\n   y\nb: >-\n  z\n  z", { a: "x\n y\n", b: "z z" }],
    [
      "a: x\ty\n# more\nb: 1 # of 5\nc: true # yes\nd: 'e' # f\ng: # h\n  - 2\n  # i\n  - 3",
      { a: "x\ty", b: 1, c: true, d: "e", g: [2, 3] },
    ],
    ['"<<": 1\n"1": 2\n"null": 3', { "<<": 1, "1": 2, null: 3 }],
    ["ключ: 値\nemoji: 🙂", { ключ: "値", emoji: "🙂" }],
    ["{}", {}],
  ])("of %j are plain values, nothing coerced", (yaml, data) => {
    expect(dataOf(yaml)).toEqual(data);
  });

  it("are own properties, whatever their names", () => {
    const data = dataOf("__proto__: {polluted: true}\nconstructor: c\ntoString: t") as object;
    expect(Object.keys(data)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect((data as { readonly polluted?: boolean }).polluted).toBeUndefined();
  });

  it("survive being written by yaml and read back", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(object, (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        fc.pre(exact(plain));
        const parsed = parseFrontmatterMarkdown(
          `---\n${stringify(plain, { aliasDuplicateObjects: false })}---\n`,
        );
        expect(parsed).toEqual({ ok: true, value: { data: plain, body: "" } });
      }),
      { numRuns: 300 },
    );
  });
});

// What the gate refuses on purpose, and what JSON itself does not keep.
function exact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) < 2 ** 53 && !Object.is(value, -0);
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value) && !/^-{3}/m.test(value);
  if (Array.isArray(value)) return value.every(exact);
  return value === null || typeof value !== "object" || Object.entries(value).flat().every(exact);
}

describe("what is refused, with a sentence and the line of the reply", () => {
  it.each([
    ["ok: 1\na: &x 1", "line 3: anchors (&x) are not allowed"],
    ["a: &x 1\nb: *x", "line 3: aliases (*x) are not allowed"],
    ["base: 1\n<<: {a: 1}", "line 3: merge keys (<<) are not allowed"],
    ["a: !custom 1", "line 2: tags (!custom) are not allowed"],
    ["a: !!binary aGk=", "line 2: tags (tag:yaml.org,2002:binary) are not allowed"],
    ["a: 1\nb: 2\na: 3", 'line 4: the key "a" appears twice'],
    ['a: 1\n"a": 3', 'line 3: the key "a" appears twice'],
    ["a:\n\t- b", "line 3: a tab cannot indent YAML, use spaces"],
    ["a: .inf", "line 2: .inf is not a number that JSON has"],
    ["a: -.INF", "line 2: -.INF is not a number"],
    ["a: .nan", "line 2: .nan is not a number"],
    ["a: 1e400", "line 2: 1e400 is not a number"],
    ["a: 9007199254740993", "line 2: the number 9007199254740993 is too large to be kept exactly"],
    ["a: 0xFFFFFFFFFFFFFFFF", "too large to be kept exactly"],
    ["1: a", "line 2: the key 1 must be text, quote it"],
    ["? [a, b]\n: 1", "line 2: a key must be text"],
    ['a: "\\uD800"', "line 2: the text holds half of a surrogate pair"],
    ["a: 1\n...\nb: 2", "line 4: a second document starts here"],
    ["%YAML 1.1\na: no", "line 2: YAML directives (%) are not allowed"],
    ["a: b: c", 'line 2: a text that contains ": " must be quoted, did you mean `"b: c"`?'],
    ["a: 'open", "line 2: this quote is never closed"],
    ["a: [1, 2", "line "],
    ["a: @x", "line 2: "],
    ["- a\n- b", "line 1: the frontmatter must be a map of fields, found a list"],
    ["", "line 1: the frontmatter must be a map of fields, found nothing"],
    ["# only a comment", "found nothing"],
    ["null", "found nothing"],
    ["just text", 'found the text "just text"'],
    ["42", "found the value 42"],
  ])("%j", (yaml, sentence) => {
    expect(errorsOf(yaml).join("\n")).toContain(sentence);
  });

  it("is reported all at once, up to a limit", () => {
    expect(errorsOf("a: &x 1\nb: .inf\n<<: {}")).toHaveLength(3);
    expect(errorsOf("a: .inf\n".repeat(1000)).length).toBeLessThanOrEqual(10);
  });
});

describe("depth", () => {
  const nested = (levels: number): string => `a: ${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`;

  it("of 128 levels is fine, of 129 refused", () => {
    expect(errorsOf(nested(128))).toEqual([]);
    expect(errorsOf(nested(129)).join()).toContain("deeper than 128 levels");
  });

  it.each([
    ["closed lists", nested(10_000)],
    ["open lists", "a: ".concat("[".repeat(10_000))],
    ["open maps", "{a: ".repeat(10_000)],
    ["keys", "? ".repeat(10_000)],
    ["items", "- ".repeat(10_000)],
    ["open lists to the limit of size", "[".repeat(65_000)],
  ])("of 10,000 levels is refused at once: %s", (_, yaml) => {
    const startedAt = performance.now();
    expect(errorsOf(yaml).join()).toContain("deeper than 128 levels");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe("a block of 64 KiB", () => {
  it.each([
    ["keys", "abcdefg: 1\n", false],
    ["keys in flow style", "a,", true],
    ["comments", "#\n", false],
    ["quotes", '"', false],
    ["colons", ":", false],
    ["dashes", "-\n", false],
    ["exclamation marks", "!", false],
    ["ampersands", "&", false],
    ["bars", "|\n", false],
  ])("of %s is read without quadratic work", (_, unit, flow) => {
    const text = unit.repeat(Math.floor(65_000 / unit.length));
    const startedAt = performance.now();
    parseFrontmatterMarkdown(`---\n${flow ? `{${text}}` : text}\n---\n`);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it("of different keys is read without quadratic work", () => {
    const yaml = Array.from({ length: 7_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(Object.keys(dataOf(yaml) as object)).toHaveLength(7_000);
  });
});

describe("a reply", () => {
  it("gives its fields and its text", () => {
    expect(parseFrontmatterMarkdown("---\napproved: false\n---\nFree text…")).toEqual({
      ok: true,
      value: { data: { approved: false }, body: "Free text…" },
    });
  });

  it("without names of fields has a header only at its beginning", () => {
    const reply = "Done.\n---\na: 1\n---\nThe rest\n---\nmore prose";
    expect(parseFrontmatterMarkdown(reply)).toEqual({
      ok: false,
      error: [expect.stringContaining("must begin")],
    });
  });

  it("with a broken leading block is broken, whatever follows", () => {
    const parsed = parseFrontmatterMarkdown("---\na: [\n---\ntext\n---\nb: 2\n---\n");
    expect(parsed).toMatchObject({ ok: false });
  });

  it("counts lines from its own beginning", () => {
    const parsed = parseFrontmatterMarkdown("\n\n```yaml\n---\nfine: 1\na: .nan\n---\n```\n");
    expect(parsed).toEqual({ ok: false, error: [expect.stringMatching(/^line 6: \.nan/)] });
  });

  it("without frontmatter gives a sentence", () => {
    expect(parseFrontmatterMarkdown("nothing")).toEqual({
      ok: false,
      error: [expect.stringContaining("must begin")],
    });
  });

  it("of anything never throws", () => {
    const piece = fc.constantFrom(
      "---\n",
      "---",
      "\n",
      "```\n",
      "a: ",
      "- ",
      "[",
      "{",
      "}",
      "\t",
      "'",
      '"',
      "|",
      "&x ",
      "*x",
      "\r\n",
      "\ufeff",
      "? ",
      ": ",
      "!t ",
      "%",
      "#",
    );
    const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (reply) => {
        const parsed = parseFrontmatterMarkdown(reply);
        expect(parsed.ok || parsed.error.length > 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
