import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export type Runtime = "node" | "bun";

/** Where bun is; it is on PATH inside package scripts. */
export const BUN_FOLDER = (process.env.PATH ?? "")
  .split(delimiter)
  .find((folder) => existsSync(join(folder, "bun")));

/** The runtimes that the launchers can choose here. */
export const INSTALLED: readonly Runtime[] = BUN_FOLDER === undefined ? ["node"] : ["node", "bun"];

/**
 * The runtimes on which a test runs that would run on each: the faster one, or what UWF_TEST_EACH names (`node`, `bun`,
 * `all`). The project `node` of vitest.config.ts runs such tests on Node.js.
 */
export const RUNTIMES: readonly Runtime[] = chosen(process.env.UWF_TEST_EACH);

function chosen(word: string | undefined): readonly Runtime[] {
  if (word === "all") return INSTALLED;
  const named = INSTALLED.filter((runtime) => runtime === word);
  return named.length > 0 ? named : INSTALLED.slice(-1);
}
