import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { mistakesIn } from "../src/yaml-mistakes.js";

const BROKEN = [
  "a: [b #c\nd: e",
  "a: b: c",
  "a: [b",
  " a: 1\nb: 2",
  "a: 'b",
  "- a\nb",
  "a: b\n c: d",
  "]",
  "a: [x, y #z]\nb: 1",
];

it.each(BROKEN)("%j is explained below empty lines too", (text) => {
  for (const before of ["\n", "\n\n", "\n# comment\n", " \n"]) {
    const { errors } = parseDocument(before + text);
    expect(errors.length).toBeGreaterThan(0);
    for (const { offset } of mistakesIn(errors, before + text)) expect(offset).toBeGreaterThan(0);
  }
});

it("explains a line of a mebibyte whose text a # would cut", () => {
  const text = `a: [${`b'#" `.repeat(200_000)} #c\nd: e`;
  expect(mistakesIn(parseDocument(text).errors, text).length).toBeGreaterThan(0);
});
