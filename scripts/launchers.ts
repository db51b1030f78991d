import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BIN_PACKAGE, launchersOf, launcherText } from "./launcher/index.js";
import { readTree } from "./source/index.js";

// bun run launchers: writes every packages/*/bin/<name> from the template, and bin/package.json.

const root = resolve(import.meta.dirname, "..");
for (const { name, path } of launchersOf(readTree(root))) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(dirname(file), "package.json"), BIN_PACKAGE);
  writeFileSync(file, launcherText(name));
  chmodSync(file, 0o755);
}
