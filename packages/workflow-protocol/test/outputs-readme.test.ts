import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "..");

function namesIn(file: string, pattern: RegExp): readonly string[] {
  const found = readFileSync(join(folder, file), "utf8").matchAll(pattern);
  return [...new Set([...found].map(([, name = ""]) => name))].sort();
}

it("README names the document of each command, and no other", () => {
  const documents = /\b([A-Z][A-Za-z]+(?:Output|Item|Event))\b/g;
  const types = namesIn("src/outputs.ts", /^export type ([A-Za-z]+(?:Output|Item|Event)) =/gm);
  // A part of a `RunAllOutput`.
  expect(namesIn("README.md", documents)).toEqual(types.filter((name) => name !== "RunAllItem"));
  const exported = readFileSync(join(folder, "src/index.ts"), "utf8");
  expect(types.filter((name) => !new RegExp(`\\b${name}\\b`).test(exported))).toEqual([]);
});
