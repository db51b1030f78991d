import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { WHO_PLAYS } from "@uncaged/workflow-engine";
import { describe, expect, it } from "vitest";
import { manPages, referenceMarkdown, withoutLinks, withWhoPlays } from "../../src/help/reference.js";
import { environmentMarkdown, errorsMarkdown } from "../../src/help/tables.js";
import { TOPICS } from "../../src/help/topics.js";
import { wordsTree } from "../../src/main-help.js";
import { PAGE_EXITS } from "../support/pages.js";

const packageDir = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
const MAN = "/usr/bin/man";

describe("docs/reference.md", () => {
  const text = referenceMarkdown(wordsTree());

  it.each(
    Object.entries({
      "reference.md": text,
      "errors.md": errorsMarkdown(),
      "environment.md": environmentMarkdown(),
    }),
  )("is made by the build, and is in the package, and so is %s", (name, made) => {
    expect(readFileSync(join(packageDir, "../../docs", name), "utf8")).toBe(made);
    expect(readFileSync(join(packageDir, name), "utf8")).toBe(withoutLinks(made));
    expect(withoutLinks(made)).not.toMatch(/\]\([^#]/);
    expect(manifest.files).toContain(name);
  });

  it("has every command, with its options, examples and exit codes, and every topic", () => {
    const headings = [...text.matchAll(/^### uwf (.*)$/gm)].map(([, path]) => path);
    expect(headings).toEqual(expect.arrayContaining(Object.keys(PAGE_EXITS)));
    expect(text).toContain("- **`--tree`**: show which thread started which");
    expect(text).toContain("uwf thread list --all --limit 20");
    expect(text).toContain("Exit codes besides those of every command (0, 1, 2, 7, 74): 3, 4.");
    for (const { name } of TOPICS) expect(text).toContain(`\n## ${name}\n`);
  });

  it("has nothing that Markdown takes for a tag", () => {
    const prose = text
      .replace(/^```[\s\S]*?^```$/gm, "")
      .replace(/`[^`]*`/g, "")
      .replace(/<!--.*-->/g, "");
    expect(prose.match(/(?<!\\)<[a-z]/g)).toBeNull();
  });
});

describe("who plays a role", () => {
  it.each(["README.md", "docs/agents.md"])("is said in %s as the plan of a step does it", (file) => {
    const text = readFileSync(join(packageDir, "../..", file), "utf8");
    expect(withWhoPlays(text)).toBe(text);
    expect(WHO_PLAYS.every(({ brief, words }) => text.includes(brief) || text.includes(words))).toBe(true);
  });
});

describe("the man pages", () => {
  const pages = manPages(wordsTree(), manifest.version);

  it("are made by the build", () => {
    const folder = join(packageDir, "man");
    const found = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]);
    expect(Object.fromEntries(found)).toEqual(pages);
  });

  it("are installed with the package", () => {
    expect(manifest.man).toEqual(Object.keys(pages).map((file) => `./man/${file}`));
    expect(manifest.files).toContain("man");
  });

  it.skipIf(!existsSync(MAN)).each(Object.keys(pages))("%s has no request that man does not know", (file) => {
    const env = { ...process.env, MANWIDTH: "80", LC_ALL: "C.UTF-8" };
    const shown = spawnSync(MAN, ["--warnings", "-l", join(packageDir, "man", file)], {
      env,
      encoding: "utf8",
    });
    expect(shown.stderr).toBe("");
    expect(shown.status).toBe(0);
  });
});
