import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterEachFile } from "../../../json-cas-fs/test/support/ends.js";
import { type Sandbox, sandbox } from "./uwf.js";

/** By key: the sandbox in which it was made, and what making it gave. Each file of tests has its own. */
const made = new Map<string, Promise<readonly [Sandbox, unknown]>>();
afterEachFile(() => made.clear());

/**
 * What many tests of a file begin with: made by commands once, and copied into the sandboxes of all, with their own paths
 * in its files. A sandbox that has a storage root already runs the commands.
 */
export async function begun<T>(box: Sandbox, key: string, make: (box: Sandbox) => Promise<T>): Promise<T> {
  if (existsSync(box.root)) return make(box);
  const known = made.get(key) ?? makeFirst(make);
  made.set(key, known);
  const [first, given] = await known;
  for (const folder of ["root", "cwd"] as const) {
    // Without its root.json it is no copy, but a root that no command has acted in.
    const filter = (path: string): boolean => path !== join(first.root, "root.json");
    cpSync(first[folder], box[folder], { recursive: true, filter });
    for (const path of filesIn(box[folder])) {
      replaceIn(join(box[folder], path), dirname(first.root), dirname(box.root));
    }
  }
  return given as T;
}

async function makeFirst<T>(make: (box: Sandbox) => Promise<T>): Promise<readonly [Sandbox, T]> {
  const first = sandbox();
  return [first, await make(first)];
}

/** Nodes hold no path. */
function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".bin"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function replaceIn(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  if (text.includes(from)) writeFileSync(file, text.replaceAll(from, to));
}
