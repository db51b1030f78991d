import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { Storage } from "@uncaged/workflow-store";

/** Tells every listener that something has changed, or what has ended. */
export type News = {
  /** Gives the function that stops it. */
  readonly listen: (listener: (line: string) => void) => () => void;
  readonly tell: (event: object) => void;
  readonly listeners: () => number;
  readonly close: () => void;
};

/** Between two looks if the system reports no changes, in ms. */
const LOOK_MS = 2000;
/** Several files change together. */
const TOGETHER_MS = 100;

/**
 * What changes in a storage root, for pages. The system's notice of it may be missing (a network file system,
 * too many watches), so it also looks every two seconds. `onQuiet` is called when the last listener has gone.
 */
export function watchNews({ root, paths }: Storage, onQuiet: () => void): News {
  const listeners = new Set<(line: string) => void>();
  const places = [paths.threads, paths.history, paths.registry, paths.runs, paths.logs, paths.children];
  const stamp = (): string => [...places, ...foldersIn(paths.runs)].map(readStamp).join(" ");
  let before = stamp();
  const tell = (event: object): void => {
    for (const listener of listeners) listener(`${JSON.stringify(event)}\n`);
  };
  const look = (): void => {
    const now = stamp();
    if (now === before) return;
    before = now;
    tell({ changed: true });
  };
  let waiting: NodeJS.Timeout | null = null;
  const soon = (): void => {
    waiting ??= setTimeout(() => {
      waiting = null;
      look();
    }, TOGETHER_MS);
  };
  const watchers = [root, paths.runs, paths.logs].flatMap((place) => watched(place, soon));
  const looking = setInterval(look, LOOK_MS);
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) onQuiet();
      };
    },
    tell,
    listeners: () => listeners.size,
    close: () => {
      clearInterval(looking);
      if (waiting !== null) clearTimeout(waiting);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watched(place: string, listener: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(place, listener);
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return []; // It may not exist yet.
  }
}

/** A folder per active thread: its runs, and what it waits for. */
function foldersIn(runs: string): readonly string[] {
  try {
    return readdirSync(runs).map((name) => join(runs, name));
  } catch {
    return []; // Nothing has run yet.
  }
}

function readStamp(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
