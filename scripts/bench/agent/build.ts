import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleForBun, writeBundle } from "../../bins/index.js";
import { BIN_PACKAGE, launcherText } from "../../launcher/index.js";

/** Builds the trivial agent the way our own binaries are built; gives the path of its launcher. */
export async function buildAgent(packages: string, folder: string): Promise<string> {
  const sources = [join(import.meta.dirname, "uwf-bench.ts")];
  const built = await bundle(sources, packages);
  writeBundle(built, join(folder, "dist/bin"));
  await bundleForBun(sources, packages, join(folder, "dist/bun"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "bin/package.json"), BIN_PACKAGE);
  const launcher = join(folder, "bin/uwf-bench");
  writeFileSync(launcher, launcherText("uwf-bench"));
  chmodSync(launcher, 0o755);
  return launcher;
}
