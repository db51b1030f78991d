import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "./bun-api.js";

// Thirteen agents need the same kit. It is a bundle of its own in the kit's package, and the binaries of all of them
// load that one.

const KIT = "@uncaged/workflow-agent-kit";

/** What an agent's binary loads. */
export const KIT_BUNDLE = `${KIT}/kit`;

/** What the bundle has in it; an agent's imports of it lead there. */
const IN_IT: ReadonlySet<string> = new Set([KIT, "@uncaged/workflow-util"]);

/** `src/kit.ts`, where a package has it. */
export function kitOf(dir: string): readonly string[] {
  const file = join(dir, "src", "kit.ts");
  return existsSync(file) ? [file] : [];
}

/** Leaves the kit out of the binaries of its own package, and of packages that depend on it. */
export function kitApart(dir: string): BunPlugin {
  const { dependencies } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  // Not of uwf, which takes from the kit how a reply is read and carries all that it needs.
  const isAgents = dependencies?.[KIT] !== undefined;
  return {
    name: "kit-apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^@uncaged\/|^\.\.\/kit\.js$/ }, ({ path, importer }) => {
        if (path === "../kit.js")
          return importer.startsWith(dir) ? { path: "./kit.js", external: true } : undefined;
        return isAgents && IN_IT.has(path) ? { path: KIT_BUNDLE, external: true } : undefined;
      }),
  };
}
