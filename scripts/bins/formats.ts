import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Bun } from "./bun-api.js";
import { explain } from "./bundle.js";

// What decides the formats of JSON Schema is a small part of a library of 1,400 files. It is built into the package, with
// its license, instead of being installed beside it.

const LIBRARY = "typebox";

/** Replaces what `tsc` has made of `formats.ts`. Throws with what the bundler said. */
export async function writeFormats(root: string): Promise<void> {
  const dir = join(root, "packages/json-schema");
  const source = join(dir, "src/validate/formats.ts");
  const built = await Bun.build({
    ...{ entrypoints: [source], target: "node", format: "esm", minify: true },
    ...{ conditions: [], define: {}, plugins: [], throw: false },
  });
  if (!built.success) throw new Error(explain(built.logs));
  // …/typebox/build/index.mjs
  const library = dirname(dirname(Bun.resolveSync(LIBRARY, dirname(source))));
  const license = readFileSync(join(library, "license"), "utf8").trim();
  const code = await built.outputs[0]?.text();
  const folder = join(dir, "dist/validate");
  const temporary = join(folder, `.formats.js.${process.pid}.tmp`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(temporary, `/*\n${LIBRARY}\n\n${license}\n*/\n${code}`);
  renameSync(temporary, join(folder, "formats.js"));
}
