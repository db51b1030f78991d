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

  it("are all exported", () => expect(read("index.ts")).toContain('export type * from "./outputs.js";'));

  it.each(documents)("say which command prints them: $name", ({ comment }) => {
    expect(comment).toMatch(/`(?:init|doctor|--events|(?:workflow|thread) [a-z]+)/);
  });
});
