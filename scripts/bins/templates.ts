import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Copies the examples with their scenarios beside the bundles, where `uwf init` finds them also when it is installed. */
export function writeTemplates(root: string): void {
  const from = join(root, "examples");
  const to = join(root, "packages/cli-workflow/dist/templates");
  const files = readdirSync(from).filter((file) => file.endsWith(".yaml"));
  mkdirSync(to, { recursive: true });
  for (const file of files) {
    const temporary = join(to, `.${file}.${process.pid}.tmp`);
    copyFileSync(join(from, file), temporary);
    renameSync(temporary, join(to, file));
  }
  for (const file of readdirSync(to)) if (!files.includes(file)) rmSync(join(to, file));
}
