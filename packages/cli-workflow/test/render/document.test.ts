import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderDocument, renderFault } from "../../src/render.js";

const TURNS_OF_DIRECTION = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";

const EVERY_CONTROL = `${String.fromCharCode(
  ...Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e),
)}${TURNS_OF_DIRECTION}`;

const VALUE = {
  [`key${EVERY_CONTROL}`]: EVERY_CONTROL,
  plain: "a\u009b31mb",
  lines: "a\nb\u009b\nc",
  ok: "ü",
};

describe.each(["json", "yaml"] as const)("a document as %s", (format) => {
  it("holds no control character but newlines, and reads back as it was", async () => {
    const text = await renderDocument(VALUE, format);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(format === "json" ? JSON.parse(text) : parse(text)).toEqual(VALUE);
  });
});

describe("a fault as JSON", () => {
  it("escapes what a terminal would obey", () => {
    const text = renderFault({ code: "BUG", reason: "\u009b2J\u001b[2J\u007f" }, "json");
    expect(text).toContain("\\u009b2J\\u001b[2J\\u007f");
  });
});
