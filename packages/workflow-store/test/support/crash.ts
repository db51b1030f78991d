import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** The calls that change the file system. */
export const CHANGING = [
  "openSync",
  "mkdirSync",
  "writeSync",
  "fsyncSync",
  "linkSync",
  "renameSync",
  "unlinkSync",
  "rmSync",
  "ftruncateSync",
] as const;

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Runs `action` as if its process died just before its n-th changing call (from 1): from there on every such call
 * throws and changes nothing. Gives `null` when it died, else how many calls it made.
 */
export async function dyingAt(n: number, action: () => Promise<void>): Promise<number | null> {
  const real = fs as unknown as Record<string, AnyFunction>;
  const originals = CHANGING.map((name) => [name, real[name]!] as const);
  let calls = 0;
  for (const [name, original] of originals) {
    real[name] = (...args) => {
      calls += 1;
      if (calls >= n) throw new Error("died");
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    await action();
    return calls;
  } catch (error) {
    if (error instanceof Error && error.message === "died") return null;
    throw error;
  } finally {
    for (const [name, original] of originals) real[name] = original;
    syncBuiltinESMExports();
  }
}
