import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { isLeftOut, repository } from "./support/run.js";

const read = (file: string): string => readFileSync(join(repository, file), "utf8");

const documents = [
  ...markdownIn("."),
  ...markdownIn("docs"),
  ...markdownIn("examples"),
  ...readdirSync(join(repository, "packages")).flatMap((name) => markdownIn(`packages/${name}`)),
];

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(repository, folder)).filter((file) => file.endsWith(".md"));
  return files.map((file) => join(folder, file));
}

/** What stands in fences and between backticks is no link. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "`code`");
}

/** Headings as a page names them: small letters, digits, hyphens for spaces. */
function anchorsOf(text: string): readonly string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Relative links that lead nowhere. */
function brokenIn(file: string, text: string): readonly string[] {
  const links = [...prose(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return links
    .filter(([, path = "", anchor]) => {
      const target = path === "" ? resolve(repository, file) : resolve(repository, dirname(file), path);
      if (!existsSync(target)) return !isLeftOut(target);
      return anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor);
    })
    .map(([link]) => link);
}

describe("the links of the documents", () => {
  it("are found, in prose alone, and looked up with their headings", () => {
    const text =
      "[a](README.md) [b](nowhere.md) [c](#none) `[d](nowhere.md)` [e](https://example.org/x)\n## None";
    expect(brokenIn("README.md", text)).toEqual(["](nowhere.md)", "](#none)"]);
    expect(anchorsOf("# A `b`: c\n## Not_this - one")).toEqual(["a-b-c", "not_this---one"]);
  });

  it.each(documents)("lead to a file and a heading of it: %s", (file) => {
    expect(brokenIn(file, read(file))).toEqual([]);
  });
});
