import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Bun } from "./bun-api.js";
import { explain, SHARED } from "./bundle.js";

/**
 * The agents of a package's tests, `test/agents/*.mjs`, in one file each: as they stand they load the libraries module by
 * module, which takes five times as long (236 ms instead of 62 on bun), at every one of some thousand starts.
 */
export async function writeTestAgents(dir: string): Promise<void> {
  const sources = join(dir, "test", "agents");
  const target = join(dir, "dist", "test-agents");
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(sources).filter((name) => name.endsWith(".mjs"))) {
    const entrypoints = [join(sources, file)];
    const built = await Bun.build({
      ...SHARED,
      entrypoints,
      format: "esm",
      minify: false,
      // The compiled libraries, which start hashing when they are loaded; a binary starts it itself.
      conditions: [],
      define: {},
      target: "node",
      plugins: [],
    });
    if (!built.success) throw new Error(explain(built.logs));
    const [output] = built.outputs;
    writeFileSync(join(target, basename(file)), (await output?.text()) ?? "", { mode: 0o755 });
  }
}
