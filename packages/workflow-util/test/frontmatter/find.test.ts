import { describe, expect, it } from "vitest";
import { type FrontmatterBlock, findFrontmatter, readHeader } from "../../src/frontmatter/index.js";

function blocksOf(reply: string): readonly FrontmatterBlock[] {
  const found = findFrontmatter(reply);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.value;
}

const YAML = "approved: false\ncomments: Two tests are missing.\n";

describe("the leading block", () => {
  it.each([
    ["at the first byte", `---\n${YAML}---\nFree text\n`],
    ["after a byte order mark", `\ufeff---\n${YAML}---\nFree text\n`],
    ["after blank lines", `\n  \n\t\n---\n${YAML}---\nFree text\n`],
    ["after a byte order mark and blank lines", `\ufeff\n\n---\n${YAML}---\nFree text\n`],
    ["with blanks after the lines ---", `---  \n${YAML}---\t\nFree text\n`],
    ["with blank lines before the text", `---\n${YAML}---\n\n\nFree text\n`],
    ["in a code fence of its own", `\`\`\`yaml\n---\n${YAML}---\n\`\`\`\n\nFree text\n`],
    ["in a code fence of its own without a language", `\`\`\`\n---\n${YAML}---\n\`\`\`\nFree text\n`],
    ["in a code fence of tildes", `~~~~markdown\n---\n${YAML}---\n~~~~\nFree text\n`],
    ["in a code fence after blank lines", `\ufeff\n\n\`\`\`yaml\n\n---\n${YAML}---\n\n\`\`\`\nFree text\n`],
    ["in a code fence around the whole reply", `\`\`\`markdown\n---\n${YAML}---\nFree text\n\`\`\`\n`],
  ])("is found %s", (_, reply) => {
    const [block] = blocksOf(reply);
    expect(block).toMatchObject({ leading: true, yaml: YAML, body: "Free text\n" });
  });

  it("is found with CRLF line ends", () => {
    const [block] = blocksOf(`---\n${YAML}---\nFree\ntext\n`.replaceAll("\n", "\r\n"));
    expect(block).toMatchObject({ leading: true, line: 1, yaml: YAML, body: "Free\r\ntext\r\n" });
  });

  it("may have nothing after it", () => {
    expect(blocksOf(`---\n${YAML}---`)[0]).toMatchObject({ leading: true, yaml: YAML, body: "" });
    expect(blocksOf(`---\n${YAML}---\n \n`)[0]).toMatchObject({ body: "" });
  });

  it("keeps the lines --- of the text after it", () => {
    const body = "First\n\n---\n\nSecond\n\n---\nThird\n";
    const blocks = blocksOf(`---\n${YAML}---\n${body}`);
    expect(blocks[0]).toMatchObject({ leading: true, yaml: YAML, body });
    expect(blocks.slice(1).map((block) => block.leading)).toEqual([false, false]);
  });

  it("keeps code blocks in the text after it", () => {
    const body = "Text\n```js\nx\n```\n";
    expect(blocksOf(`---\n${YAML}---\n${body}`)[0]?.body).toBe(body);
    expect(blocksOf(`\`\`\`yaml\n---\n${YAML}---\n\`\`\`\n${body}`)[0]?.body).toBe(body);
  });

  it("is not closed by an indented line --- or a longer one", () => {
    const yaml = "text: |\n  a\n  ---\n  b\ntable: ----\n";
    expect(blocksOf(`---\n${yaml}---\nBody\n`)[0]).toMatchObject({ yaml, body: "Body\n" });
  });

  it("keeps the indentation of the text's first line", () => {
    expect(blocksOf(`---\n${YAML}---\n\n    code\n`)[0]?.body).toBe("    code\n");
  });

  it("knows its line in the reply", () => {
    expect(blocksOf(`\n\n---\n${YAML}---\n`)[0]?.line).toBe(3);
  });
});

describe("a block after prose", () => {
  it("is a candidate, and the prose stays in the text", () => {
    const blocks = blocksOf(`Here is my reply.\n\n---\n${YAML}---\nFree text\n`);
    expect(blocks).toEqual([
      { leading: false, line: 3, yaml: YAML, body: "Here is my reply.\n\nFree text\n" },
    ]);
  });

  it("loses the code fence around it", () => {
    const [block] = blocksOf(`Here:\n\`\`\`yaml\n---\n${YAML}---\n\`\`\`\nMore.\n`);
    expect(block).toMatchObject({ leading: false, yaml: YAML, body: "Here:\n\nMore.\n" });
  });

  it("is one of all candidates in order", () => {
    const blocks = blocksOf("Prose\n---\na: 1\n---\nbetween\n---\nb: 2\n---\nend");
    expect(blocks.map((block) => block.yaml)).toEqual(["a: 1\n", "between\n", "b: 2\n"]);
    expect(blocks.map((block) => block.line)).toEqual([2, 4, 6]);
  });
});

describe("a reply without frontmatter", () => {
  it.each([
    ["", "must begin with a line ---"],
    ["Just text.", "must begin with a line ---"],
    ["a: 1\nb: 2\n", "must begin with a line ---"],
    ["----\na: 1\n----\n", "must begin with a line ---"],
    [" ---\na: 1\n ---\n", "must begin with a line ---"],
    ["--- a\nb: 1\n---", "line 3: the frontmatter that begins here is not closed"],
    ["---\na: 1\nText", "line 1: the frontmatter that begins here is not closed"],
    ["Text\n---\na: 1\n", "line 2: the frontmatter that begins here is not closed"],
  ])("%j gives a sentence", (reply, sentence) => {
    const found = findFrontmatter(reply);
    expect(found.ok).toBe(false);
    const [problem] = found.ok ? [] : found.error;
    expect(`line ${problem?.line}: ${problem?.message}`).toContain(sentence);
  });

  it("names the limit of the reply", () => {
    const found = findFrontmatter(`---\na: 1\n---\n${"x".repeat(16 * 1024 * 1024)}`);
    expect(found).toMatchObject({ error: [{ message: expect.stringContaining("the limit is 16777216") }] });
  });

  it("names the limit of the frontmatter, in bytes", () => {
    const found = findFrontmatter(`---\na: ${"ü".repeat(33_000)}\n---\n`);
    expect(found).toMatchObject({
      error: [{ line: 1, message: expect.stringContaining("the limit is 65536") }],
    });
  });
});

describe("a reply of 16 MiB", () => {
  const SIZE = 16 * 1024 * 1024 - 100;
  const fill = (unit: string): string => unit.repeat(Math.floor(SIZE / unit.length));

  // Quadratic work would take hours here; the test's own time limit is the bound.
  it.each([
    ["newlines", "\n"],
    ["lines ---", "---\n"],
    ["lines --- with CRLF", "---\r\n"],
    ["almost lines ---", "--- x\n"],
    ["blanks", " "],
    ["backticks", "`"],
    ["code fences", "```\n"],
    ["one line of dashes", "-"],
    ["lines of blanks after ---", `---${" ".repeat(1000)}\n`],
  ])("of %s is read in linear time", (_, unit) => {
    findFrontmatter(fill(unit));
    const found = findFrontmatter(`---\na: 1\n---\n${fill(unit)}`);
    expect(found).toMatchObject({ ok: true });
    expect(found.ok && found.value[0]).toMatchObject({ leading: true, yaml: "a: 1\n" });
  });

  it.each(["\n", "---\n", "```\na: 1\n", "...\n", "{\n", "{ ", '{"a', " ---\nb: 1\n"])(
    "of %j is searched for its header in linear time",
    (unit) => {
      const fields = { isField: (key: string) => key === "ab", isChoice: () => false };
      expect(readHeader(`Prose\n---\nab: 1\n${fill(unit)}`, fields).ok).toBe(false);
    },
  );
});
