import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { barredIn } from "./barred.js";
import type { Answered, Ground, Place } from "./types.js";

/**
 * Where a path really leads, links followed; refused when that is not below the working folder. A file that does not
 * exist yet is where its nearest existing folder is.
 */
export function placeOf({ cwd, storageRoot }: Ground, path: string): Answered<Place> {
  if (path === "" || path.includes("\0")) return { ok: false, reason: "a path is needed" };
  const root = realpathSync(cwd);
  const real = realPath(resolve(root, path));
  if (real === null) return { ok: false, reason: `${path} is, or leads through, a link that leads nowhere` };
  const below = relative(root, real);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    return { ok: false, reason: `${path} is outside of the working folder ${root}` };
  }
  return { ok: true, value: { root, path: below, barred: barredIn(storageRoot) } };
}

/** `null` for a link to nothing: what would be made through it nobody can say. */
function realPath(path: string): string | null {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const real = existing(at);
    if (real !== null) return join(real, ...missing);
    if (isThere(at) || at === dirname(at)) return null;
    missing.unshift(basename(at));
  }
}

function existing(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
