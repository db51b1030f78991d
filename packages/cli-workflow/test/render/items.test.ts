import { describe, expect, it } from "vitest";
import { linesRenderer, listRenderer, memberRenderer, renderDocument } from "../../src/render.js";

const ITEMS = [
  { a: 1, b: ["x", "y\nz"], c: "\u001b[31m\u009b" },
  [],
  "text",
  null,
  { nested: { empty: {}, none: [] }, prose: "- a\n  b\n\n\u0085c: d\n", "": "" },
];

async function together(format: "json" | "yaml", items: readonly unknown[]): Promise<string> {
  const renderer = listRenderer(format);
  let text = "";
  for (const item of items) text += await renderer.item(item);
  return text + renderer.end();
}

describe("a list that is printed piece by piece", () => {
  it.each(["json", "yaml"] as const)("is the document of the whole list (%s)", async (format) => {
    for (const items of [ITEMS, ITEMS.slice(0, 1), []]) {
      expect(await together(format, items)).toBe(await renderDocument(items, format));
    }
  });
});

describe("a document whose last member is printed piece by piece", () => {
  it.each(["json", "yaml"] as const)("is the document of the whole (%s)", async (format) => {
    for (const head of [{ thread: "01" }, { thread: "\u009b", more: { a: ["x\ny"] } }]) {
      for (const items of [ITEMS, ITEMS.slice(0, 1), [ITEMS], []]) {
        const renderer = await memberRenderer(format, { head, name: "steps" });
        let text = "";
        for (const item of items) text += await renderer.item(item);
        expect(text + renderer.end()).toBe(await renderDocument({ ...head, steps: items }, format));
      }
    }
  });
});

describe("a list without an end", () => {
  it("has one line of JSON or one YAML document for each item", async () => {
    expect(await linesRenderer("json").item(ITEMS[0])).toBe(
      '{"a":1,"b":["x","y\\nz"],"c":"\\u001b[31m\\u009b"}\n',
    );
    expect(await linesRenderer("yaml").item({ a: 1 })).toBe("---\na: 1\n");
  });
});
