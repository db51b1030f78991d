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

/**
 * Whether tables and sweeps are run whole, as in `bun run test:all`: a sweep does a thing again for each place at which it
 * can break. Its title ends with "(whole)", by which the project `node` finds it.
 */
export const WHOLE: boolean = process.env.UWF_TEST_EACH !== undefined;

/** The end of the title of a test that is smaller where it is not whole. */
export const IF_WHOLE = WHOLE ? " (whole)" : "";

/** Every pair of two lists where tables are whole, else as few as have each value of both. */
export function crossed<A, B>(first: readonly A[], second: readonly B[]): readonly (readonly [A, B])[] {
  const isChosen = (row: number, column: number): boolean =>
    WHOLE || (second.length > first.length ? row === column % first.length : column === row % second.length);
  return first.flatMap((a, row) =>
    second.filter((_, column) => isChosen(row, column)).map((b) => [a, b] as const),
  );
}
