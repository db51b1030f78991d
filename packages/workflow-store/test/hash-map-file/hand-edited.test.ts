import { describe, expect, it } from "vitest";
import { editHandEdited, parseHandEdited } from "../../src/hash-map-file.js";
import { bad, good, HASH_A, HASH_B, threadAt } from "../support/index.js";

const SPEC = { key: "[0-7][0-9A-HJKMNP-TV-Z]{25}", keyName: "thread id" };
const [ONE, TWO, THREE] = [threadAt(1), threadAt(2), threadAt(3)];

async function read(text: string) {
  const parsed = await parseHandEdited(text, SPEC);
  return parsed.ok ? Object.fromEntries(parsed.value) : parsed.error;
}

describe("parseHandEdited", () => {
  it.each([
    [
      "comments and blank lines",
      `# all mine\n\n${ONE}: "${HASH_A}" # the first\n\n# next\n${TWO}: "${HASH_B}"\n`,
    ],
    ["CRLF", `${ONE}: "${HASH_A}"\r\n${TWO}: "${HASH_B}"\r\n`],
    ["single quotes", `${ONE}: '${HASH_A}'\n${TWO}: '${HASH_B}'\n`],
    ["no quotes", `${ONE}: ${HASH_A}\n${TWO}: ${HASH_B}\n`],
    ["quoted keys", `"${ONE}": "${HASH_A}"\n'${TWO}': "${HASH_B}"\n`],
    ["another order", `${TWO}: "${HASH_B}"\n${ONE}: "${HASH_A}"\n`],
    ["no newline at the end", `${ONE}: "${HASH_A}"\n${TWO}: "${HASH_B}"`],
    ["a flow map", `{ ${ONE}: "${HASH_A}", ${TWO}: "${HASH_B}" }\n`],
    ["JSON", JSON.stringify({ [ONE]: HASH_A, [TWO]: HASH_B }, null, 2)],
    ["indentation", `  ${ONE}: "${HASH_A}"\n  ${TWO}: "${HASH_B}"\n`],
    ["a document's start and end", `---\n${ONE}: "${HASH_A}"\n${TWO}: "${HASH_B}"\n...\n`],
  ])("reads %s", async (_, text) => {
    expect(await read(text)).toEqual({ [ONE]: HASH_A, [TWO]: HASH_B });
  });

  it.each(["1234567890123", "12345678901E5", "0123456701234", "0000000000000"])(
    "takes the unquoted %s for the hash that it is, not for a number",
    async (hash) => {
      expect(await read(`# mine\n${ONE}: ${hash}\n`)).toEqual({ [ONE]: hash });
    },
  );

  it("reads an empty map with a comment", async () => {
    expect(await read("# none\n{}\n")).toEqual({});
  });

  it.each([
    ["only a comment", "# mine\n", null],
    ["a list", `- ${ONE}\n`, null],
    ["a word", "threads\n", null],
    ["an explicit null", "null\n", null],
    ["a key cut short", `# x\n${ONE}: "${HASH_A}"\n${TWO.slice(0, 9)}`, 3],
    ["a line cut in its key", `# x\n${ONE}: "${HASH_A}"\n${TWO}`, 3],
    ["a line cut before its value", `# x\n${ONE}: "${HASH_A}"\n${TWO}:`, 3],
    ["a line cut in its value", `# x\n${ONE}: "${HASH_A}"\n${TWO}: "${HASH_B.slice(0, 5)}`, 3],
    ["an unquoted line cut in its value", `${ONE}: ${HASH_A}\n${TWO}: ${HASH_B.slice(0, 5)}`, 2],
    ["a doubled thread", `${ONE}: "${HASH_A}"\n# again\n${ONE}: "${HASH_B}"\n`, 3],
    ["a value that is a list", `# x\n${ONE}: ["${HASH_A}"]\n`, 2],
    ["a value that is a map", `# x\n${ONE}: {a: "${HASH_A}"}\n`, 2],
    ["a value that is null", `# x\n${ONE}: ~\n`, 2],
    ["a hash in lower case", `# x\n${ONE}: "${HASH_A.toLowerCase()}"\n`, 2],
    ["a key that is no thread", `# x\nthread: "${HASH_A}"\n`, 2],
    ["__proto__", `# x\n__proto__: "${HASH_A}"\n`, 2],
    ["an anchor", `# x\n${ONE}: &a "${HASH_A}"\n`, 2],
    ["an alias", `# x\n${ONE}: &a "${HASH_A}"\n${TWO}: *a\n`, 2],
    ["a tag", `# x\n${ONE}: !!int ${HASH_A}\n`, 2],
    ["a merge key", `# x\n<<: {${ONE}: "${HASH_A}"}\n`, 2],
    ["conflict markers", `<<<<<<< mine\n${ONE}: "${HASH_A}"\n=======\n`, 1],
    ["two documents", `${ONE}: "${HASH_A}"\n---\n${TWO}: "${HASH_B}"\n`, 2],
    ["a tab", `${ONE}:\n\t"${HASH_A}"\n`, null],
    ["NUL bytes", "\0".repeat(44), null],
  ])("refuses %s", async (_, text, line) => {
    const refused = await read(text);
    expect(refused).toHaveProperty("reason");
    if (line !== null) expect(refused).toHaveProperty("line", line);
  });
});

describe("editHandEdited", () => {
  const text = `# mine, keep\n${ONE}: '${HASH_A}'   # the first\n\n# the other\n${THREE}: ${HASH_A}\n# the end\n`;

  async function edited(key: string, value: typeof HASH_A | null, from = text) {
    return good(await editHandEditedText(from, key, value));
  }

  async function editHandEditedText(from: string, key: string, value: typeof HASH_A | null) {
    const result = await editHandEdited(from, SPEC, { key, value });
    return result.ok ? result : { ok: false as const, error: result.error.reason };
  }

  it("replaces a value and keeps every comment", async () => {
    const result = await edited(ONE, HASH_B);
    expect(await read(result)).toEqual({ [ONE]: HASH_B, [THREE]: HASH_A });
    for (const comment of ["# mine, keep", "# the first", "# the other", "# the end"]) {
      expect(result).toContain(comment);
    }
  });

  it("puts a new thread at its place, quotes every value", async () => {
    const result = await edited(TWO, HASH_B);
    expect(result.split("\n").filter((line) => /^[0-9]/.test(line))).toEqual([
      `${ONE}: "${HASH_A}" # the first`,
      `${TWO}: "${HASH_B}"`,
      `${THREE}: "${HASH_A}"`,
    ]);
    expect(Object.keys(await read(await edited(threadAt(9), HASH_B)))).toEqual([ONE, THREE, threadAt(9)]);
  });

  it("takes a thread out, down to an empty map that reads as one", async () => {
    const one = await edited(THREE, null);
    expect(await read(one)).toEqual({ [ONE]: HASH_A });
    expect(one).toContain("# the other");
    const none = await edited(ONE, null, one);
    expect(await read(none)).toEqual({});
    for (const comment of ["# mine, keep", "# the other", "# the end"]) expect(none).toContain(comment);
    expect(await edited(ONE, null)).toContain("# mine, keep");
  });

  it("keeps CRLF files and flow maps readable", async () => {
    const crlf = await edited(TWO, HASH_B, `# x\r\n${ONE}: "${HASH_A}" # y\r\n`);
    expect(await read(crlf)).toEqual({ [ONE]: HASH_A, [TWO]: HASH_B });
    const flow = await edited(TWO, HASH_B, `{ ${ONE}: ${HASH_A} }\n`);
    expect(await read(flow)).toEqual({ [ONE]: HASH_A, [TWO]: HASH_B });
  });

  it("refuses to edit what it cannot read", async () => {
    expect(bad(await editHandEditedText("- a list\n", ONE, HASH_A))).toContain("no map");
  });
});
