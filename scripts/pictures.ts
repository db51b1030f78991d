import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { takePages } from "./pictures/pages/take.js";
import { CAN_TAKE_PICTURES, takePictures } from "./pictures/pictures.js";

// bun run docs: the pictures in docs/pictures, from the built binaries. SVG shows terminals, and is the same every time;
// report-*, ui-* and folder.png show pages in a browser. `terminals` or `pages` as an argument takes only those. The pages of
// Word documents, docx-*.png, were drawn by hand: `uwf-agent-docx render`.

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/pictures");
const [only = null] = process.argv.slice(2);

const KINDS = {
  terminals: {
    files: /\.svg$/,
    take: async () => (CAN_TAKE_PICTURES ? await takePictures(root) : "they need script(1) of Linux"),
  },
  pages: { files: /^(?!docx-).*\.png$/, take: () => takePages(root) },
};

for (const [kind, { files, take }] of Object.entries(KINDS))
  if (only === null || only === kind) write(kind, files, await take());

/** Pictures of the kind that are none any more are removed. */
function write(
  kind: string,
  files: RegExp,
  pictures: Readonly<Record<string, string | Uint8Array>> | string,
): void {
  if (typeof pictures === "string") {
    console.log(`no pictures of ${kind}: ${pictures}`);
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder))
    if (files.test(file) && !Object.hasOwn(pictures, file)) rmSync(join(folder, file));
  for (const [file, content] of Object.entries(pictures)) writeFileSync(join(folder, file), content);
  console.log(`${Object.keys(pictures).length} pictures of ${kind}`);
}
