import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleForBun, writeBundle, writeLaunchers } from "../bins/index.js";

const KIT = "@uncaged/workflow-agent-kit";
const NAME = "uwf-bench";

/** Builds the trivial agent as our own are built, with the kit beside it as npm installs it; gives its launcher. */
export async function buildAgent(packages: string, dir: string): Promise<string> {
  mkdirSync(join(dir, "node_modules/@uncaged"), { recursive: true });
  symlinkSync(join(packages, "workflow-agent-kit"), join(dir, "node_modules", KIT));
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module", dependencies: { [KIT]: "*" } }));
  const binaries = { dir, sources: [join(import.meta.dirname, `${NAME}.ts`)] };
  writeBundle(await bundle(binaries), join(dir, "dist/bin"));
  await bundleForBun(binaries, join(dir, "dist/bun"));
  writeLaunchers(join(dir, "bin"), [NAME]);
  return join(dir, "bin", NAME);
}
