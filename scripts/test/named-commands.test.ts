import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "./support/run.js";

type Manifest = { readonly scripts: Readonly<Record<string, string>>; readonly packageManager: string };

const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Manifest;

const documents = [
  "README.md",
  "CLAUDE.md",
  ...markdownIn("docs"),
  ...markdownIn("examples"),
  ...readdirSync(join(repository, "packages")).map((folder) => `packages/${folder}/README.md`),
].filter((file) => existsSync(join(repository, file)));

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(repository, folder));
  return files.filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file}`);
}

/** The scripts that a document tells people to run. `bun run vitest` and the like are programs, not scripts. */
function scriptsNamedIn(text: string): readonly string[] {
  return [...text.matchAll(/\bbun(?:@[\d.]+)? run ([a-z][\w:.-]*)/g)].map(([, name]) =>
    (name ?? "").replace(/[.:]$/, ""),
  );
}

describe("the commands that the documents name", () => {
  it("are found in a text", () => {
    const text = "`bun run test`, then npx --yes bun@1.4.5 run demo.\nbun run test:faults packages/x";
    expect(scriptsNamedIn(text)).toEqual(["test", "demo", "test:faults"]);
  });

  it.each(documents)("exist as scripts of package.json: %s", (file) => {
    const named = scriptsNamedIn(readFileSync(join(repository, file), "utf8"));
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  it("call for the bun that package.json pins", () => {
    for (const file of [...documents, ".ci/run"]) {
      const versions = readFileSync(join(repository, file), "utf8").match(/\bbun@\d[\d.]*\d/g) ?? [];
      for (const version of versions)
        expect(`${file}: ${version}`).toBe(`${file}: ${manifest.packageManager}`);
    }
  });

  it("name only scripts of ours that exist as files", () => {
    const files = Object.values(manifest.scripts).flatMap(
      (script) => script.match(/\bscripts\/[\w./-]+/g) ?? [],
    );
    expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  });
});
