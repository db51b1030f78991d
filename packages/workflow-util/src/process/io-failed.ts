import type { IoFailed } from "./types.js";

/** What the system said about a file of a run; anything else than the system's words is a bug and goes on. */
export function ioFailed(operation: string, path: string, error: unknown): IoFailed {
  if (!isErrno(error)) throw error;
  return { kind: "io-failed", operation, path, errno: error.code, reason: reasonIn(error.message) };
}

type ErrnoError = Error & { readonly code: string };

export function isErrno(error: unknown): error is ErrnoError {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** `no space left on device` of `ENOSPC: no space left on device, open '/x'`. */
function reasonIn(message: string): string {
  return message.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z0-9]+(?: '.*')?$/s, "");
}
