import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { ownRoot, type Storage } from "@uncaged/workflow-store";

/** What the engine may touch of the process it runs in; nothing here reads `process` itself. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a command was typed. */
  readonly cwd: string;
  /** The folder of uwf's own programs: `uwf-workflow` is found there, whatever is on PATH. */
  readonly binaries: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly pid: number;
  readonly stderr: TextSink;
  /** A random name that no other run has. */
  readonly newToken: () => string;
  /** Calls back on SIGINT, SIGTERM and SIGHUP, unless the caller ignores them, until the returned function is called. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sends a signal; `false` when there is no such process. */
  readonly kill: (pid: number, signal: NodeJS.Signals) => boolean;
  /** Resolves after this many ms. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** What is said on stderr while a step works. */
export type Messages = {
  /** Something is wrong, but work continues. */
  readonly warn: (sentence: string) => void;
  /** Progress. */
  readonly tell: (sentence: string) => void;
  /** `false`: a program reads stderr, and an agent's own words may not be written there. */
  readonly live: boolean;
};

export type TextSink = { readonly write: (text: string) => void };

/** Why no agent can work in a folder; `null` when one can. */
export function checkFolder(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
    accessSync(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    if (code === "ENOENT" || code === "ENOTDIR") return `there is no ${folder}`;
    return code === "EACCES" ? `${folder} may not be read` : `${folder} cannot be read (${code})`;
  }
}

/** The value of `--cwd`, or of `what`, resolved against the caller's folder; `null` if not given. */
export function givenFolder(
  cwd: string,
  text: string | null,
  what: "--cwd" | "--cwd-below" = "--cwd",
): Result<string | null, Fault> {
  if (text === null) return ok(null);
  const folder = resolve(cwd, text);
  const reason = text === "" ? "it is empty" : checkFolder(folder);
  const hint = `give a folder that is there and that you may read, as in ${what} .`;
  return reason === null ? ok(folder) : err(fault("INVALID_INPUT", { what, reason, hint }));
}

/** Whether a path leads to that folder or into it, wherever links on the way lead; `false` where nothing is there. */
export function leadsInto(path: string, folder: string): boolean {
  try {
    const [real, top] = [realpathSync(path), realpathSync(folder)];
    return real === top || real.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
  } catch {
    return false;
  }
}

type Surroundings = Pick<Messages, "warn"> & { readonly host: Pick<Host, "newToken"> };

/** The storage root that a command is about to act in. If it is a copy, uwf says so once. */
export async function nameRoot({ host, warn }: Surroundings, storage: Storage): ReturnType<typeof ownRoot> {
  const own = await ownRoot(storage, host.newToken);
  if (!own.ok) return own;
  const { copiedFrom } = own.value;
  if (copiedFrom !== null) {
    warn(
      `this storage root was copied or moved here from ${copiedFrom}: from now on it is a root of its own, and a step that is taken in both is paid for twice`,
    );
  }
  return own;
}
