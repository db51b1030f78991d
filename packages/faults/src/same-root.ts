import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** How records of locks, runs and roots name the folder that they were made in. */
const PLACE = /"place":\{"folder":("(?:[^"\\]|\\.)*"),"device":"\d+","inode":"\d+"\}/g;

/**
 * Makes the copy of a storage root pass for the root itself, as it would be after a power cut or a kill. uwf tells a copy by
 * the folders that its records name, and neither signals nor adopts anything of the original's; `copies` is about that.
 */
export function passForOriginal(root: string): void {
  if (!existsSync(root)) return;
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !/\.lock|\.tmp$|^(?:run|root)\.json$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, "latin1");
    const own = text.replace(PLACE, (_, folder: string) => placeIn(root, JSON.parse(folder)));
    if (own === text) continue;
    const { atime, mtime } = statSync(file);
    writeFileSync(file, own, "latin1");
    utimesSync(file, atime, mtime);
  }
}

/** The folder of the copy that stands where the record's folder stands in the original: a folder of the root, or the root. */
function placeIn(root: string, folder: string): string {
  const inside = [join(basename(dirname(folder)), basename(folder)), basename(folder)];
  const there = inside.map((path) => join(root, path)).find((path) => existsSync(path)) ?? root;
  const { dev, ino } = statSync(there, { bigint: true });
  return `"place":${JSON.stringify({ folder: there, device: String(dev), inode: String(ino) })}`;
}
