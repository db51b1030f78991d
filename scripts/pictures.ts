import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { takePages } from "./pictures/pages/take.js";
import { CAN_TAKE_PICTURES, takePictures } from "./pictures/pictures.js";

// bun run docs: the pictures in docs/pictures, from the built binaries. SVG shows terminals, and is the same every time; PNG
// shows pages in a browser. `terminals` or `pages` as an argument takes only those.

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/pictures");
const [only = null] = process.argv.slice(2);

if (only !== "pages") write(".svg", CAN_TAKE_PICTURES ? takePictures(root) : "they need script(1) of Linux");
if (only !== "terminals") write(".png", await takePages(root));

function write(extension: string, pictures: Readonly<Record<string, string | Uint8Array>> | string): void {
  if (typeof pictures === "string") {
    console.log(`no ${extension} pictures: ${pictures}`);
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder))
    if (file.endsWith(extension) && !Object.hasOwn(pictures, file)) rmSync(join(folder, file));
  for (const [file, content] of Object.entries(pictures)) writeFileSync(join(folder, file), content);
  console.log(`${Object.keys(pictures).length} ${extension} pictures`);
}
