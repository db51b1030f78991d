import type { JsonObject } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { validateFrontmatter } from "../../src/extract.js";

const META: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    comments: { type: "string" },
    n: { type: "number" },
    deep: {},
  },
  required: ["approved"],
  additionalProperties: false,
};

const VALID = "---\napproved: true\ncomments: fine\n---\nBody\n";

function read(reply: string, schema = META): unknown {
  const result = validateFrontmatter(schema, reply);
  return result.ok ? result.value.value : result.error.join("\n");
}

const OUTPUT = { approved: true, comments: "fine" };

describe("a reply that is accepted", () => {
  const accepted: readonly (readonly [string, string, unknown])[] = [
    ["a plain header", VALID, OUTPUT],
    ["CRLF", VALID.replaceAll("\n", "\r\n"), OUTPUT],
    ["a byte order mark", `\ufeff${VALID}`, OUTPUT],
    ["blank lines before it", `\n\n  \n${VALID}`, OUTPUT],
    ["a code fence around it", `\`\`\`markdown\n${VALID}\`\`\`\n`, OUTPUT],
    ["prose before it", `Here is my review.\n\n${VALID}`, OUTPUT],
    [
      "prose and a code fence before it",
      `Here it is:\n\n\`\`\`yaml\n---\napproved: true\n---\n\`\`\`\n`,
      { approved: true },
    ],
    ["--- in the body", `${VALID}\nfirst\n\n---\n\nsecond\n\n---\n`, OUTPUT],
    ["another valid block in the body", `${VALID}\n---\napproved: false\n---\n`, OUTPUT],
    ["fields of nobody", "---\napproved: true\nstatus: done\nconfidence: 0.9\n---\n", { approved: true }],
    [
      "a text that looks like a date",
      "---\napproved: false\ncomments: 2026-01-01\n---\n",
      { approved: false, comments: "2026-01-01" },
    ],
    ["rules of prose before the header", `---\nSome words\n---\n\n${VALID}`, OUTPUT],
  ];

  for (const [name, reply, output] of accepted) {
    it(`with ${name}`, () => expect(read(reply)).toEqual(output));
  }

  it("gives the reply without its header as the body", () => {
    expect(validateFrontmatter(META, VALID)).toMatchObject({ value: { body: "Body\n" } });
  });
});

describe("a reply that is refused", () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ["no frontmatter", "Just words.", "the reply has no frontmatter"],
    ["nothing", "", "the reply has no frontmatter"],
    ["an unterminated header", "---\napproved: true\n", "not closed"],
    ["a list", "---\n- approved\n---\n", "must be a map of fields, found a list"],
    ["null", "---\n---\n", "found nothing"],
    [
      "a string instead of a boolean",
      '---\napproved: "false"\n---\n',
      '/approved: expected boolean, got "false"',
    ],
    ["no, which is a text", "---\napproved: no\n---\n", '/approved: expected boolean, got "no"'],
    ["a missing field", "---\ncomments: x\n---\n", "/approved: expected boolean, got nothing"],
    [
      "a misspelled field",
      "---\naproved: true\n---\n",
      '/aproved: not a declared field, did you mean "approved"?',
    ],
    ["infinity", "---\napproved: true\nn: .inf\n---\n", ".inf is not a number that JSON has"],
    [
      "a number that would be rounded",
      `---\napproved: true\nn: ${2n ** 60n + 1n}\n---\n`,
      "too large to be kept exactly",
    ],
    ["a merge key", "---\n<<: {approved: true}\n---\n", "merge keys"],
    ["an anchor", "---\napproved: &a true\n---\n", "anchors"],
    ["a custom tag", "---\napproved: !!bool true\n---\n", "tags"],
    ["a duplicate key", "---\napproved: true\napproved: false\n---\n", "twice"],
    ["a tab as indentation", "---\napproved: true\ndeep:\n\ta: 1\n---\n", "a tab cannot indent YAML"],
    [
      "a header that is invalid before a valid quote",
      `---\napproved: "no"\n---\nThe format is:\n${VALID}`,
      "/approved: expected boolean",
    ],
  ];

  for (const [name, reply, words] of refused) {
    it(`for ${name}`, () => expect(read(reply)).toContain(words));
  }

  it("for nesting of 10,000 levels, without overflowing", () => {
    const reply = `---\napproved: true\ndeep: ${"[".repeat(10_000)}${"]".repeat(10_000)}\n---\n`;
    expect(read(reply)).toContain("nested deeper than 128 levels");
  });

  it("for 2^60, which is not kept exactly, and not for the same in quotes", () => {
    expect(read(`---\napproved: true\nn: ${2n ** 60n}\n---\n`)).toContain("too large");
    expect(read(`---\napproved: true\ncomments: "${2n ** 60n}"\n---\n`)).toMatchObject({
      comments: String(2n ** 60n),
    });
  });

  it("with every violation, not the first alone", () => {
    expect(read("---\ncomments: 1\nn: x\n---\n")).toMatch(/approved.*\n.*comments.*\n.*\/n:/);
  });
});

describe("the keys that meta declares", () => {
  const reply = "---\na: 1\nb: 2\nx-c: 3\nd: 4\n---\n";
  const kept: readonly (readonly [string, JsonObject, unknown])[] = [
    ["through properties", { properties: { a: true } }, { a: 1 }],
    ["through patternProperties", { patternProperties: { "^x-": true } }, { "x-c": 3 }],
    ["through $ref", { $ref: "#/$defs/t", $defs: { t: { properties: { b: true } } } }, { b: 2 }],
    ["through allOf", { allOf: [{ properties: { a: true } }, { properties: { d: true } }] }, { a: 1, d: 4 }],
    ["through anyOf", { anyOf: [{ properties: { a: true } }, { properties: { b: true } }] }, { a: 1, b: 2 }],
    [
      "through oneOf",
      { oneOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 3 } } }] },
      { a: 1, b: 2 },
    ],
    [
      "through if, then and else",
      JSON.parse(
        '{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":true}},"else":{"properties":{"d":true}}}',
      ),
      { a: 1, b: 2, d: 4 },
    ],
    ["through required", { required: ["a"] }, { a: 1 }],
    [
      "all of them, where additionalProperties says so",
      { additionalProperties: true },
      { a: 1, b: 2, "x-c": 3, d: 4 },
    ],
    [
      "all of them, where additionalProperties has a schema",
      { additionalProperties: { type: "number" } },
      { a: 1, b: 2, "x-c": 3, d: 4 },
    ],
    ["all of them, where nothing is declared", { type: "object" }, { a: 1, b: 2, "x-c": 3, d: 4 }],
    [
      "through a reference into itself",
      { $ref: "#/$defs/t", $defs: { t: { properties: { a: true, child: { $ref: "#/$defs/t" } } } } },
      { a: 1 },
    ],
  ];

  for (const [name, schema, value] of kept) {
    it(`are kept ${name}`, () => expect(read(reply, schema)).toEqual(value));
  }

  const DEEP = { deep: { a: 1, b: 2, "x-c": { a: 1, b: 2 } }, list: [{ a: 1, b: 2 }, [{ a: 1, b: 2 }], 3] };
  const ONLY_A = { properties: { a: true } };
  const below: readonly (readonly [string, JsonObject, unknown])[] = [
    ["through properties", { deep: ONLY_A, list: true }, { ...DEEP, deep: { a: 1 } }],
    [
      "through patternProperties",
      { deep: { patternProperties: { "^x-": ONLY_A } } },
      { deep: { "x-c": { a: 1 } } },
    ],
    ["through $ref", { deep: { $ref: "#/$defs/t" } }, { deep: { a: 1, "x-c": { a: 1 } } }],
    [
      "through anyOf and allOf",
      { deep: { anyOf: [ONLY_A, { allOf: [{ properties: { b: true } }] }] } },
      { deep: { a: 1, b: 2 } },
    ],
    [
      "through additionalProperties, which keeps the others",
      { deep: { additionalProperties: ONLY_A, properties: { a: true } } },
      { deep: { a: 1, b: 2, "x-c": { a: 1 } } },
    ],
    [
      "through unevaluatedProperties, which keeps the others",
      { deep: { unevaluatedProperties: ONLY_A, properties: { a: true } } },
      { deep: { a: 1, b: 2, "x-c": { a: 1 } } },
    ],
    [
      "through items",
      { list: { items: { anyOf: [ONLY_A, { items: ONLY_A }] } } },
      { list: [{ a: 1 }, [{ a: 1 }], 3] },
    ],
    [
      "through prefixItems, which says nothing of the rest",
      { list: { prefixItems: [ONLY_A] } },
      { list: [{ a: 1 }, [{ a: 1, b: 2 }], 3] },
    ],
    ["through nothing that contains says of some items", { list: { contains: ONLY_A } }, { list: DEEP.list }],
    ["all of them, where nothing is declared of the member", { deep: true, list: {} }, DEEP],
  ];

  for (const [name, properties, value] of below) {
    it(`are kept below the first level ${name}`, () => {
      const $defs = { t: { properties: { a: true, "x-c": { $ref: "#/$defs/t" } } } };
      expect(read(`---\n${JSON.stringify(DEEP)}\n---\n`, { properties, $defs })).toEqual(value);
    });
  }

  it("may be called like a prototype's members", () => {
    const schema: JsonObject = JSON.parse('{"properties":{"__proto__":true,"constructor":true}}');
    const value = read("---\n__proto__: 1\nconstructor: 2\ntoString: 3\n---\n", schema);
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"constructor":2}');
  });
});
