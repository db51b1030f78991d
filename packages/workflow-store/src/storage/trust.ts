import { statSync } from "node:fs";
import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { Storage } from "./types.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Members of one's group are trusted, as where every user has a group of their own. */
const OTHERS_MAY_WRITE = 0o002;

/**
 * Whether what stands in the root may say what is executed and signalled: `config.yaml` names commands, `runs/` names
 * processes. `ROOT_NOT_TRUSTED` where one of them, or the root itself, is another user's or can be written by everybody,
 * unless `UWF_TRUSTED_ROOTS` names the root. What is missing is nobody's.
 */
export function checkTrust({ root, paths }: Storage, env: Env): Result<void, Fault> {
  if (isTrusted(root, env)) return ok(undefined);
  for (const path of [root, paths.config, paths.dotEnv, paths.runs]) {
    const reason = distrust(path, env);
    if (reason !== null) return err(fault("ROOT_NOT_TRUSTED", { root, path, ...reason }));
  }
  return ok(undefined);
}

/** Absolute paths, separated by colons; `*` is every root. */
function isTrusted(root: string, env: Env): boolean {
  const named = (env[ENV.trustedRoots] ?? "").split(":");
  return named.includes(root) || named.includes("*");
}

type Distrust = { readonly uid: number; readonly isOpen: boolean };

function distrust(path: string, env: Env): Distrust | null {
  const own = process.geteuid?.();
  const there = statSync(path, { throwIfNoEntry: false });
  if (own === undefined || there === undefined) return null;
  const { uid, mode } = there;
  const isOpen = (mode & OTHERS_MAY_WRITE) !== 0;
  return isOpen || !isOurs(uid, own, env) ? { uid, isOpen } : null;
}

/** Under sudo the user's own root is meant. */
function isOurs(uid: number, own: number, env: Env): boolean {
  return uid === own || (own === 0 && env.SUDO_UID === String(uid));
}
