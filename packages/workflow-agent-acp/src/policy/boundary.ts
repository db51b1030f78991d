import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Whether the path, taken from `from`, lies in `folder` once every link on its way is followed. */
export function isInside(folder: string, from: string, path: string): boolean {
  const way = relative(real(folder), real(resolve(from, path)));
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

/** The path without links; of what does not exist yet, its folder's. Bounded by the path's own length. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), path.slice(parent.length));
  }
}
