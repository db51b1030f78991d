import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  manPages,
  referenceMarkdown,
  withoutLinks,
  withWhoPlays,
} from "../packages/cli-workflow/src/help/reference.js";
import { environmentMarkdown, errorsMarkdown } from "../packages/cli-workflow/src/help/tables.js";
import { wordsTree } from "../packages/cli-workflow/src/main-help.js";
import { withCodingAgents } from "./coding-agents.js";
import { writeChanged } from "./write-changed.js";

// bun scripts/reference.ts: reference.md, errors.md and environment.md of docs, with copies that are in the package, the man pages with their list in
// package.json, who plays a role in README.md and docs/agents.md, and there the table of coding agents. Part of the build.

const root = resolve(import.meta.dirname, "..");
const cli = join(root, "packages/cli-workflow");
const man = join(cli, "man");

const manifest = JSON.parse(readFileSync(join(cli, "package.json"), "utf8")) as {
  readonly version: string;
};

const documents = {
  "reference.md": referenceMarkdown(wordsTree()),
  "errors.md": errorsMarkdown(),
  "environment.md": environmentMarkdown(),
};
for (const [name, text] of Object.entries(documents)) {
  writeChanged(join(root, "docs", name), text);
  writeChanged(join(cli, name), withoutLinks(text));
}
for (const file of ["README.md", "docs/agents.md"].map((name) => join(root, name)))
  writeChanged(file, withCodingAgents(withWhoPlays(readFileSync(file, "utf8"))));
const pages = manPages(wordsTree(), manifest.version);
mkdirSync(man, { recursive: true });
for (const file of readdirSync(man)) if (!Object.hasOwn(pages, file)) rmSync(join(man, file));
for (const [file, text] of Object.entries(pages)) writeChanged(join(man, file), text);
const listed = { ...manifest, man: Object.keys(pages).map((file) => `./man/${file}`) };
writeChanged(join(cli, "package.json"), `${JSON.stringify(listed, null, 2)}\n`);
console.log(`${Object.keys(documents).length} documents and ${Object.keys(pages).length} man pages`);
