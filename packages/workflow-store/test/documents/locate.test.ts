import { describe, expect, it } from "vitest";
import { parseYamlDocument } from "../../src/documents/index.js";

const TEXT = `# a comment
name: x
roles:
  a/b:
    goal: |
      long
      text
  "t~i": {meta: {type: object}}
graph:
  $START:
    - role: a
      condition: null
    - {role: b, condition: c}
empty:
`;

async function locate(pointer: string): Promise<string> {
  const yaml = await parseYamlDocument(TEXT, "f", 10_000);
  if (!yaml.ok) throw new Error("the text is sound");
  const { line, column } = yaml.value.locate(pointer);
  return `${line}:${column}`;
}

describe("locate", () => {
  it.each([
    ["", "2:1"],
    ["/name", "2:1"],
    ["/roles", "3:1"],
    ["/roles/a~1b", "4:3"],
    ["/roles/a~1b/goal", "5:5"],
    ["/roles/t~0i", "8:3"],
    ["/roles/t~0i/meta/type", "8:18"],
    ["/graph/$START/0", "11:7"],
    ["/graph/$START/0/condition", "12:7"],
    ["/graph/$START/1/condition", "13:17"],
    ["/empty", "14:1"],
  ])("finds a map's entry at its key and a list's item at its start: %s", async (pointer, place) => {
    expect(await locate(pointer)).toBe(place);
  });

  it.each([
    ["/nothing", "2:1"],
    ["/roles/a~1b/nothing/deeper", "4:3"],
    ["/graph/$START/7/role", "10:3"],
    ["/graph/$START/role", "10:3"],
    ["/name/below", "2:1"],
    ["/constructor", "2:1"],
    ["/empty/x", "14:1"],
  ])("places what does not exist at its nearest parent: %s", async (pointer, place) => {
    expect(await locate(pointer)).toBe(place);
  });

  it("places everything of an empty document at its start", async () => {
    const yaml = await parseYamlDocument("", "f", 10);
    expect(yaml.ok && yaml.value.locate("/a/b")).toEqual({ line: 1, column: 1 });
  });
});
