import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import { quietly, removeBoth, writeAnew } from "./files.js";
import type { CachePlace, Forecast } from "./types.js";

// <cache>/agent.json   what the last step has run, where that did not depend on its role
//
// uwf starts it before it has read anything else (cli-workflow, src/ahead), and believes nothing of it: what the step
// needs in the end is compared with it, word for word.

const VERSION = 1;

/** Of args, perhaps: config.yaml is for its owner only, too. */
const MODE = 0o600;

/** Windows knows none of the last two. NONBLOCK: opening a named pipe must not wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Bytes; what a step passes on the command line is less than this. */
const LIMIT = 1024 * 1024;

/**
 * What a step will run, as far as one before it can tell; `null` when nothing was kept, or anything is odd about it.
 * Made of little: it is read before the rest of uwf is loaded.
 */
export function readForecast({ paths }: CachePlace): Forecast | null {
  try {
    const fd = openSync(fileOf(paths), READ);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= LIMIT ? forecastIn(readFileSync(fd, "utf8")) : null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Keeps it for the next step, or, with `null`, keeps nothing any more. */
export function keepForecast({ paths }: CachePlace, forecast: Forecast | null): void {
  const file = fileOf(paths);
  quietly(() => {
    if (isLink(dirname(file))) return;
    if (forecast === null) removeBoth(file);
    else writeAnew(file, Buffer.from(textOf(forecast), "utf8"), MODE);
  });
}

export function isSameForecast(one: Forecast | null, other: Forecast | null): boolean {
  return (one === null ? null : textOf(one)) === (other === null ? null : textOf(other));
}

function fileOf({ cache }: CachePlace["paths"]): string {
  return join(cache, "agent.json");
}

function textOf({ asked, command, args, passed, resume, keyNames }: Forecast): string {
  return `${JSON.stringify(["uwf-agent", VERSION, asked, command, args, passed, resume, keyNames])}\n`;
}

function forecastIn(text: string): Forecast | null {
  const value: unknown = JSON.parse(text);
  const [name, version, asked, command, args, passed, resume, keyNames] = Array.isArray(value) ? value : [];
  if (name !== "uwf-agent" || version !== VERSION) return null;
  if (typeof command !== "string" || typeof resume !== "boolean") return null;
  if ((typeof asked !== "string" && asked !== null) || !isTexts(args) || !isTexts(keyNames)) return null;
  return isTexts(passed) || passed === null ? { asked, command, args, passed, resume, keyNames } : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
