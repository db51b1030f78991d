import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ENV } from "@uncaged/workflow-util";
import type { Work } from "./types.js";

/** Of this run alone: a later one must not take half of a document for its own. */
export function folderOf({ context, port, options }: Work): string {
  const run = context.env[ENV.run] || port.newId();
  return join(resolve(port.cwd, options.outputDir), context.threadId, run);
}

/** Throws the system's errors. */
export function makeFolder(work: Work): string {
  const folder = folderOf(work);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Throws the system's errors. */
export function writeInto(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes, { flag: "wx" });
  return path;
}
