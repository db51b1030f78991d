import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

export type FsCall = { readonly name: string; readonly path: string };

type AnyFunction = (...args: unknown[]) => unknown;

const WRITE_SIDE = [
  "mkdirSync",
  "openSync",
  "writeSync",
  "fsyncSync",
  "closeSync",
  "fchmodSync",
  "linkSync",
  "renameSync",
  "unlinkSync",
  "ftruncateSync",
  "utimesSync",
] as const;

const READ_SIDE = [
  "readFileSync",
  "readSync",
  "readdirSync",
  "opendirSync",
  "statSync",
  "lstatSync",
  "fstatSync",
  "existsSync",
  "accessSync",
  "realpathSync",
  "readlinkSync",
] as const;

/**
 * Logs the calls that `action` makes to node:fs, with the paths behind file descriptors; `before` may throw instead
 * of the n-th call (from 1). The real functions are back when `action` is over.
 */
export async function withFsCalls(
  action: () => unknown,
  before: (call: FsCall, n: number) => void = () => {},
): Promise<readonly FsCall[]> {
  const calls: FsCall[] = [];
  const open = new Map<unknown, string>();
  const real = fs as unknown as Record<string, AnyFunction>;
  const originals = [...WRITE_SIDE, ...READ_SIDE].map((name) => [name, real[name]!] as const);
  for (const [name, original] of originals) {
    real[name] = (...args) => {
      const call = {
        name,
        path: String(open.get(args[0]) ?? args[name === "linkSync" || name === "renameSync" ? 1 : 0]),
      };
      calls.push(call);
      before(call, calls.length);
      const result = original.apply(fs, args);
      if (name === "openSync") open.set(result, String(args[0]));
      return result;
    };
  }
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    for (const [name, original] of originals) real[name] = original;
    syncBuiltinESMExports();
  }
  return calls;
}

/**
 * Runs `action` as if the process died just before its n-th change (from 1): from there on none takes place. Gives the
 * changes that were tried.
 */
export async function dyingAt(
  n: number,
  isChange: (call: FsCall) => boolean,
  action: () => Promise<unknown>,
): Promise<{ readonly changes: readonly FsCall[]; readonly died: boolean }> {
  let [changes, died] = [0, false];
  const calls = await withFsCalls(
    async () => {
      await action().catch((error: unknown) => {
        if (!died) throw error;
      });
    },
    (call) => {
      if (!isChange(call)) return;
      changes += 1;
      died = changes >= n;
      if (died) throw new Error("died");
    },
  );
  return { changes: calls.filter(isChange), died };
}

/** What node:fs throws when the system refuses a call. */
export function errnoError(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected by the test, ${call}`), {
    code,
    errno: -1,
    syscall: call,
  });
}

export function isWriteSide(call: FsCall): boolean {
  return (WRITE_SIDE as readonly string[]).includes(call.name);
}
