import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const read = (file: string): string => readFileSync(join(import.meta.dirname, "../src", file), "utf8");

const documents = [
  ...read("outputs.ts").matchAll(
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export type ([A-Za-z]+(?:Output|Item|Event)) =/gm,
  ),
].map(([, comment = "", name = ""]) => ({ name, comment }));

describe("the documents of outputs.ts", () => {
  it("are many", () => expect(documents.length).toBeGreaterThan(20));

  it.each(documents)("are exported, and say which command prints them: $name", ({ name, comment }) => {
    expect(read("index.ts")).toMatch(new RegExp(`\\b${name}\\b`));
    expect(comment).toMatch(/`(?:init|doctor|--events|(?:workflow|thread) [a-z]+)/);
  });
});
