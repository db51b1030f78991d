import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Random } from "../frame/index.js";

const HARMS = [
  ...["gone", "folder gone", "a bit flipped", "cut", "zeroed", "longer", "lines swapped", "a line gone"],
  ...["of another thread", "of before", "a folder"],
] as const;

/** Does something to a cache file, mostly nothing; gives its name. `others` are files of the same kind. */
export function harm(random: Random, file: string, others: readonly Buffer[]): string {
  if (random.next() < 0.65) return "nothing";
  const kind = random.pick(["gone", ...HARMS]);
  if (kind === "gone") rmSync(file, { recursive: true, force: true });
  else if (kind === "folder gone") rmSync(dirname(dirname(file)), { recursive: true, force: true });
  else if (kind === "a folder") replace(file, null);
  else if (kind === "of another thread" || kind === "of before") replace(file, one(random, others));
  else if (isFile(file)) replace(file, spoilt(random, kind, readFileSync(file)));
  return kind;
}

/** A file's bytes, or none where there is no such file. */
export function bytesIn(file: string): readonly Buffer[] {
  return isFile(file) ? [readFileSync(file)] : [];
}

function isFile(file: string): boolean {
  return existsSync(file) && existsSync(dirname(file)) && !existsSync(`${file}/.`);
}

function replace(file: string, bytes: Buffer | null): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  if (bytes === null) mkdirSync(file);
  else writeFileSync(file, bytes);
}

function one(random: Random, others: readonly Buffer[]): Buffer {
  return others[random.below(others.length)] ?? Buffer.from("nothing of ours\n");
}

function spoilt(random: Random, kind: string, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  if (kind === "cut") return bytes.subarray(0, at);
  if (kind === "longer") return Buffer.concat([bytes, bytes.subarray(at)]);
  if (kind === "zeroed") return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + 64));
  if (kind === "a bit flipped") {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  }
  const lines = bytes.toString("utf8").split("\n");
  const line = 1 + random.below(Math.max(1, lines.length - 2));
  const moved = lines.splice(line, 1);
  if (kind === "lines swapped") lines.splice(Math.max(1, line - 1), 0, ...moved);
  return Buffer.from(lines.join("\n"));
}
