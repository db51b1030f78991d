import { closeSync, constants, fstatSync, ftruncateSync, writeSync } from "node:fs";
import { openPlace } from "./descend.js";
import { refusal } from "./refusal.js";
import type { Answered, Place } from "./types.js";

const { O_CREAT, O_WRONLY } = constants;

/**
 * Makes `text` the content of a file, in its place: mode, owner and hard links stay. Gives its bytes. Folders that are
 * missing are made.
 */
export function writeText(place: Place, text: string): Answered<number> {
  if (place.path === "") return { ok: false, reason: "the working folder is no file" };
  try {
    const fd = openPlace(place, O_WRONLY | O_CREAT, true);
    try {
      return written(fd, place.path, Buffer.from(text));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return refusal(place.path, error);
  }
}

function written(fd: number, path: string, bytes: Buffer): Answered<number> {
  if (!fstatSync(fd).isFile()) return { ok: false, reason: `${path} is no regular file` };
  ftruncateSync(fd, 0);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return { ok: true, value: bytes.length };
}
