import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CAN_TAKE_PICTURES, takePictures } from "./pictures/pictures.js";

// bun run docs: the pictures of terminals in docs/pictures, from the built binaries.

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/pictures");

if (CAN_TAKE_PICTURES) {
  const pictures = takePictures(root);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder))
    if (file.endsWith(".svg") && !Object.hasOwn(pictures, file)) rmSync(join(folder, file));
  for (const [file, svg] of Object.entries(pictures)) writeFileSync(join(folder, file), svg);
  console.log(`${Object.keys(pictures).length} pictures`);
} else {
  console.log("no pictures: they need script(1) of Linux");
}
