import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bun, type BunPlugin } from "./bun-api.js";
import { asciiOnly, assertNoPaths, BANNER, explain, SHARED } from "./bundle.js";

// An add-on runs inside uwf, on the storage, the locks and the failures of that process. With copies of its own of the
// libraries that have those, `error instanceof CasError` would be false and a lock taken twice. So its file has none of
// them: it is a function of all that uwf gives it, `cli-workflow/src/core.ts`.

/** What uwf gives to add-ons, by specifier. */
const GIVEN = /^ {2}"(@uncaged\/[^"]+)": /gm;

const CORE = join(import.meta.dirname, "../../packages/cli-workflow/src/core.ts");

/** What the function calls its argument. */
const ARGUMENT = "uwfCore";

function fromCore(): BunPlugin {
  const given = new Set([...readFileSync(CORE, "utf8").matchAll(GIVEN)].map(([, name]) => name));
  return {
    name: "from-core",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^[^./]/ }, ({ path }) => {
        if (given.has(path)) return { path, namespace: "core" };
        // A driver is found beside the add-on, by its package.json.
        return path.startsWith("@uncaged/") ? undefined : { path, external: true };
      });
      onLoad({ filter: /./, namespace: "core" }, ({ path }) => ({
        loader: "js",
        contents: `module.exports = ${ARGUMENT}[${JSON.stringify(path)}];`,
      }));
    },
  };
}

/** Bundles `src/add-on.ts` of a package into `dist/add-on.cjs`, for both runtimes. Throws with what the bundler said. */
export async function writeAddOn(dir: string): Promise<void> {
  const entrypoints = [join(dir, "src/add-on.ts")];
  const built = await Bun.build({ ...SHARED, entrypoints, target: "node", plugins: [fromCore()] });
  if (!built.success) throw new Error(explain(built.logs));
  const text = asciiOnly((await built.outputs[0]?.text()) ?? "");
  mkdirSync(join(dir, "dist"), { recursive: true });
  assertNoPaths("add-on.cjs", text);
  writeFileSync(
    join(dir, "dist/add-on.cjs"),
    `${BANNER}\nmodule.exports = (${ARGUMENT}) => {\nconst module = { exports: {} };\n((exports) => {\n${text}\n})(module.exports);\nreturn module.exports;\n};\n`,
  );
}
