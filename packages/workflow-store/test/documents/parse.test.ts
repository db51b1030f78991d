import { problemLine } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { parseYamlDocument } from "../../src/documents/index.js";

const MIB = 1024 * 1024;

function parse(text: string) {
  return parseYamlDocument(text, "f", MIB);
}

async function refusals(text: string): Promise<readonly string[]> {
  const result = await parse(text);
  return result.ok ? [] : result.error.map((problem) => problemLine(problem, "f"));
}

async function plain(text: string): Promise<unknown> {
  const result = await parse(text);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value.value;
}

describe("what a document may be", () => {
  it("becomes plain JSON", async () => {
    expect(await plain("a: 1\nb: [x, true, null, 1.5]\nc: {d: 'e'}\n")).toEqual({
      a: 1,
      b: ["x", true, null, 1.5],
      c: { d: "e" },
    });
  });

  it("takes a byte order mark and CRLF", async () => {
    expect(await plain("\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n")).toEqual({ a: 1, b: "x\ny\n" });
  });

  it.each(["", "\n\n", "# only a comment\n", "---\n", "\ufeff"])("reads %j as nothing", async (text) => {
    expect(await plain(text)).toBeNull();
  });

  it("keeps dates, yes and no texts", async () => {
    expect(await plain("a: 2024-01-01\nb: yes\nc: no\nd: on\n")).toEqual({
      a: "2024-01-01",
      b: "yes",
      c: "no",
      d: "on",
    });
  });

  it("carries names of the prototype as own keys", async () => {
    const value = (await plain("__proto__: {a: 1}\nconstructor: 2\ntoString: 3\n")) as object;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("takes a start marker, an end marker, comments after it, and %YAML 1.2", async () => {
    expect(await plain("%YAML 1.2\n---\na: 1\n...\n# end\n")).toEqual({ a: 1 });
  });

  it("takes the core tags and a quoted << key", async () => {
    expect(await plain('a: !!str 1\n"<<": 2\n')).toEqual({ a: "1", "<<": 2 });
  });

  it("takes 128 levels of nesting in any style", async () => {
    expect(await refusals("[".repeat(128) + "]".repeat(128))).toEqual([]);
    expect(await refusals(`${"{a: ".repeat(128)}x${"}".repeat(128)}`)).toEqual([]);
    expect(await refusals(`${"- ".repeat(128)}x`)).toEqual([]);
  });
});

describe("what a document must not be", () => {
  it.each<[string, string, readonly string[]]>([
    [
      "a second document",
      "a: 1\n---\nb: 2\n",
      ["f:2:1: a second document starts here; one file holds one document"],
    ],
    [
      "an anchor and an alias",
      "a: &x 1\nb: *x\n",
      [
        "f:1:4: anchors (&x) are not allowed; a text that starts with & must be quoted",
        "f:2:4: aliases (*x) are not allowed, repeat the value",
      ],
    ],
    ["a merge key", "<<: {a: 1}\n", ["f:1:1: merge keys (<<) are not allowed, repeat the entries"]],
    [
      "a custom tag",
      "a: !secret x\n",
      [
        "f:1:4: unresolved tag: !secret: custom tags are not allowed; a text that starts with ! must be quoted",
      ],
    ],
    [
      "a tag of YAML 1.1",
      "a: !!set {b}\n",
      [
        "f:1:4: unresolved tag: tag:yaml.org,2002:set: custom tags are not allowed; a text that starts with ! must be quoted",
      ],
    ],
    ["a duplicate key", "a: 1\nb:\n  c: 1\n  c: 2\n", ['f:4:3: duplicate key "c", first on line 3']],
    ["a number as key", "1: a\n", ["f:1:1: the key 1 must be text; quote it"]],
    ["null as key", "~: a\n", ["f:1:1: the key ~ must be text; quote it"]],
    ["a list as key", "? [a]\n: b\n", ["f:1:3: a key must be text, found a list, a map or an alias"]],
    ["infinity", "a: .inf\n", ["f:1:4: .inf is not a JSON number"]],
    [
      "a number that would change",
      "a: 9007199254740993\n",
      ["f:1:4: the number 9007199254740993 is too large to be kept exactly; quote it"],
    ],
    ["YAML 1.1", "%YAML 1.1\n---\na: yes\n", ["f:1:1: the directive %YAML is not supported"]],
    [
      "a control character",
      "a: x\u001b[31m\n",
      ['f:1:5: the control character U+001B is not allowed, write it as "\\u001B"'],
    ],
    ["an unclosed quote", 'a: 1\nb: "x\n', ["f:2:4: this quote is never closed"]],
    [
      "a list in a map",
      "a: 1\n- b\n",
      [
        "f:2:1: this line is neither `key: value` nor part of the value above it, check its indentation and quotes",
      ],
    ],
    [
      "a reserved character",
      "a: @x\n",
      ['f:1:4: plain value cannot start with reserved character @, quote the text, did you mean `"@x"`?'],
    ],
    [
      "an unquoted colon",
      "goal: fix: it\n",
      ['f:1:7: a text that contains ": " must be quoted, did you mean `"fix: it"`?'],
    ],
  ])("refuses %s", async (_what, text, expected) => {
    expect((await refusals(text)).slice(0, expected.length)).toEqual(expected);
  });

  it.each([
    "a:\n\tb: 1\n",
    "\ta: 1\n",
    "a:\n  b: 1\n\tc: 2\n",
    "a: |\n\tx\n",
    "a: [\n\t1]\n",
    "a: b\n\tc: d\n",
  ])("says that a tab cannot indent: %j", async (text) => {
    expect((await refusals(text)).join("\n")).toContain("a tab cannot indent YAML, use spaces");
  });

  it("reports independent faults all at once, in the order of the text", async () => {
    const text = "a: &x 1\na: 2\n3: c\nd: !e 1\n---\nf: 1\n";
    expect((await refusals(text)).map((line) => line.slice(0, 5))).toEqual([
      "f:1:4",
      "f:2:1",
      "f:3:1",
      "f:4:4",
      "f:5:1",
    ]);
  });

  it("places problems by line and column in a file with CRLF and a byte order mark", async () => {
    expect(await refusals("\ufeffa: 1\r\nb: *x\r\n")).toEqual([
      "f:2:4: aliases (*x) are not allowed, repeat the value",
    ]);
  });

  it("measures the text before it reads it", async () => {
    expect(await parseYamlDocument("a: ü\n", "f", 5)).toMatchObject({
      ok: false,
      error: [{ line: null, message: "the text is 6 bytes, the limit is 5" }],
    });
    expect(await parseYamlDocument("a: ü\n", "f", 6)).toMatchObject({ ok: true });
  });
});

describe("hostile documents", () => {
  it.each<[string, string]>([
    ["a list of half a million items", `[${"a,".repeat(500_000)}]`],
    ["a quarter of a million empty maps", `[${"{},".repeat(250_000)}]`],
    ["a hundred thousand lines", "- a\n".repeat(100_000)],
    ["a hundred thousand keys", Array.from({ length: 100_000 }, (_, i) => `k${i}: 1\n`).join("")],
  ])("of %s get a sentence", async (_what, text) => {
    expect(await refusals(text)).toEqual([
      expect.stringMatching(/^f:\d+:\d+: the document has more than 100000 words and marks$/),
    ]);
  });

  it("of comments, blank lines and long texts are read, however large", async () => {
    expect(
      await plain(`${"# x\n\n".repeat(150_000)}a: |\n${"  some words and more\n".repeat(5_000)}`),
    ).toHaveProperty("a");
  });

  it.each<[string, string]>([
    ["129 levels", "[".repeat(129) + "]".repeat(129)],
    ["10,000 lists", "[".repeat(10_000) + "]".repeat(10_000)],
    ["half a million lists", "[".repeat(500_000)],
    ["maps in flow style", "{a: ".repeat(200_000)],
    ["lists in block style", `${"- ".repeat(400_000)}a`],
    ["explicit keys", `${"? ".repeat(400_000)}a`],
    ["maps in block style", Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
  ])("%s get a sentence", async (_what, text) => {
    expect((await refusals(text)).at(-1)).toMatch(/^f:\d+:\d+: nested deeper than 128 levels$/);
  });

  it.each<[string, string]>([
    ["an open quote over twenty thousand lines", `a: "${"x\n".repeat(20_000)}`],
    ["twenty thousand commas", `[${",".repeat(20_000)}]`],
    ["twenty thousand documents", "---\n".repeat(20_000)],
    ["twenty thousand directives", "%A b\n".repeat(20_000)],
    [
      "aliases of aliases",
      `a: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `k${i}: &b${i} [*a,*a]`).join("\n")}`,
    ],
  ])("%s are refused with few words", async (_what, text) => {
    const lines = await refusals(text);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(200);
  });

  it("finds one duplicate among twenty thousand keys", async () => {
    const text = `${Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n")}\nk7: 2\n`;
    expect(await refusals(text)).toEqual(['f:20001:1: duplicate key "k7", first on line 8']);
  });
});
