import { describe, expect, it } from "vitest";
import { parseYamlDocument } from "../../src/documents/index.js";

/** Line and column of the word `here` of the text at /a, as the file's reader counts them. */
async function placeOf(yaml: string): Promise<string> {
  const parsed = await parseYamlDocument(yaml, "f", 10_000);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const { a } = parsed.value.value as { a: string };
  const { line, column } = parsed.value.locate("/a", a.indexOf("here"));
  return `${line}:${column}`;
}

/** Where it stands in the file. */
function written(yaml: string): string {
  const before = yaml.slice(0, yaml.indexOf("here")).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

describe("a place in a text of a YAML file", () => {
  it.each([
    ["plain", "a: steps[-1] = here\n"],
    ["plain, behind blanks", "a:    x   here\n"],
    ["plain, over several lines", "a: one\n  two\n\n  three here\nb: 1\n"],
    ["in single quotes", "a: 'x here'\n"],
    ["in single quotes that are doubled", "a: 'role = ''x'' and here'\n"],
    ["in double quotes", 'a: "x here"\n'],
    ["in double quotes with escapes", 'a: "\\"x\\" \\u0041\\x41\\U0001F600 \\t\\\\ here"\n'],
    ["in double quotes over several lines", 'a: "x \\\n   y\n\n   here"\n'],
    ["in a literal block", "a: |\n  (\n    $x := 1;\n    here\n  )\n"],
    ["in a literal block with a header", "a: |2- # why\n   x\n   here\n"],
    ["in a folded block", "a: >-\n  x\n  y\n\n  z and here\n"],
    ["behind characters of two units", "a: '😀 here'\n"],
    ["after a byte order mark", "a: here\n"],
  ])("is found where it is written: %s", async (_, yaml) => {
    expect(await placeOf(yaml)).toBe(written(yaml));
  });

  it("is where the value begins if the text has no such place", async () => {
    const parsed = await parseYamlDocument("a: x\nb: [1]\n", "f", 100);
    if (!parsed.ok) throw new Error("unreadable");
    expect(parsed.value.locate("/a", 99)).toEqual({ line: 1, column: 4 });
    expect(parsed.value.locate("/b", 3)).toEqual({ line: 2, column: 1 });
  });
});
