import { CasError } from "@uncaged/json-cas";

type ErrnoError = Error & { readonly code: string };

/** Whether the system refused something, as opposed to a bug of ours. */
export function isErrnoError(error: unknown): error is ErrnoError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^E[A-Z0-9]+$/.test(error.code)
  );
}

/** The errno name of a system error (`ENOENT`), `null` for anything else. */
export function errnoOf(error: unknown): string | null {
  return isErrnoError(error) ? error.code : null;
}

/** What the system says, without the call and the paths: `no space left on device`. */
export function errnoReason(error: unknown): string {
  if (!isErrnoError(error)) return String(error);
  return error.message.replace(/^E[A-Z0-9]+:\s*/, "").replace(/, [a-z]+(?: '.*)?$/s, "");
}

/** A refusal of the file system as `IO_FAILED`. A `CasError` stays what it is; a bug is thrown on. */
export function ioFault(operation: string, path: string, error: unknown): CasError {
  if (error instanceof CasError) return error;
  if (!isErrnoError(error)) throw error;
  return new CasError({ code: "IO_FAILED", operation, path, errno: error.code, reason: errnoReason(error) });
}

/** Runs `action`; what the file system refuses becomes `cannot <operation> <path>: …`. */
export function guarded<T>(operation: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw ioFault(operation, path, error);
  }
}
