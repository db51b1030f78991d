import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const LOCAL_FOLDER = ".workflows";

/** A folder named `.workflows`, and the folder that it and its files must not lead out of. */
export type LocalFolder = { readonly folder: string; readonly home: string };

/**
 * The `.workflows` folders that count in `cwd`, nearest first: its own and those of its parents, up to the root of the
 * repository. Outside a repository a parent's folder counts only if it belongs to the same user as `cwd`: otherwise
 * anybody could plant one in /tmp.
 */
export function localFolders(cwd: string): readonly LocalFolder[] {
  const parents = ancestors(resolve(cwd));
  const root = parents.findIndex((folder) => existsSync(join(folder, ".git")));
  const owner = ownerOf(resolve(cwd));
  const candidates =
    root === -1
      ? parents.filter((folder) => owner !== null && ownerOf(join(folder, LOCAL_FOLDER)) === owner)
      : parents.slice(0, root + 1);
  return candidates
    .map((folder) => ({ folder: join(folder, LOCAL_FOLDER), home: parents[root] ?? folder }))
    .filter(({ folder, home }) => isFolder(folder) && leadsInto(home, folder));
}

/** Whether `path`, all symbolic links followed, lies in `home`. */
export function leadsInto(home: string, path: string): boolean {
  try {
    const way = relative(realpathSync(home), realpathSync(path));
    return way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
  } catch {
    return false;
  }
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function ownerOf(path: string): number | null {
  return statOf(path)?.uid ?? null;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
