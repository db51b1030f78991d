import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BunPlugin } from "./bun-api.js";

// The styles and scripts of HTML pages are files in `page/`, which `page-texts.ts` reads. A bundle has their texts in it;
// the package's library finds them beside its compiled code.

const FOLDER = "workflow-report/src/page";

const TEXTS = /\/workflow-report\/src\/page-texts\.ts$/;

/** Puts the texts of the files that `page-texts.ts` names in their place. */
export const pageTexts: BunPlugin = {
  name: "page-texts",
  setup: ({ onLoad }) =>
    onLoad({ filter: TEXTS }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replace(/\btextOf\("([^"]+)"\)/g, (_, name) =>
        JSON.stringify(readFileSync(join(dirname(path), "page", name), "utf8")),
      ),
    })),
};

const TOPICS = /\/cli-workflow\/src\/help\/topics\.ts$/;

/** Puts the topics of help in place of the tables that they are made of. */
export const topicTexts: BunPlugin = {
  name: "topic-texts",
  setup: ({ onLoad }) =>
    onLoad({ filter: TOPICS }, async ({ path }) => ({
      loader: "ts",
      contents: `export const TOPICS = ${JSON.stringify(((await import(path)) as { readonly TOPICS: unknown }).TOPICS)};`,
    })),
};

/** Copies the files beside the compiled library. */
export function writePages(root: string): void {
  const from = join(root, "packages", FOLDER);
  const to = join(root, "packages/workflow-report/dist/page");
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) copyFileSync(join(from, file), join(to, file));
}
