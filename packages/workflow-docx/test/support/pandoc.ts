import { execFileSync, spawnSync } from "node:child_process";

/** A second opinion about documents: a program that has nothing of ours. Tests that want it are skipped without it. */
export const hasPandoc = spawnSync("pandoc", ["--version"]).status === 0;

/** Runs pandoc in a folder; its output. */
export function pandocIn(folder: string): (...words: readonly string[]) => string {
  return (...words) => execFileSync("pandoc", words, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}
