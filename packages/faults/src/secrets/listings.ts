import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 20;

export type Listings = {
  /** Stops looking; every command line that was seen, and how often it was looked. */
  readonly stop: () => { readonly lines: readonly string[]; readonly looks: number };
};

/** What `ps` shows to anybody, looked at again and again. None without /proc. */
export function watchListings(): Listings {
  const seen = new Set<string>();
  let looks = 0;
  const look = (): void => {
    looks += 1;
    for (const pid of processes()) seen.add(commandLine(pid));
  };
  const timer = setInterval(look, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    return { lines: [...seen], looks };
  };
  return { stop };
}

function processes(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
