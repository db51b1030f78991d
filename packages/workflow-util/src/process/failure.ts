import type { ChildEnd, ChildSpec, IoFailed } from "./types.js";

/** The first error that a caller's callback threw while its child ran: the run is ended, then the error is thrown on. */
export type Failure = {
  readonly raised: Promise<void>;
  readonly fail: (error: unknown) => void;
  readonly rethrow: () => void;
};

export function createFailure(): Failure {
  const errors: unknown[] = [];
  let raise: () => void = () => {};
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  const fail = (error: unknown): void => {
    errors.push(error);
    raise();
  };
  const rethrow = (): void => {
    if (errors.length > 0) throw errors[0];
  };
  return { raised, fail, rethrow };
}

/** The callback, with its exceptions passed to `fail`. */
export function guarded<Arguments extends readonly unknown[]>(
  callback: (...args: Arguments) => void,
  fail: (error: unknown) => void,
): (...args: Arguments) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      fail(error);
    }
  };
}

/** What the system said about a file of a run; anything but a system error is a bug and is rethrown. */
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

/** How a program ended, after its name: `exited with 3`. */
export function describeEnd(end: ChildEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "signaled":
      return `was ended by ${end.signal}`;
    case "aborted":
      return `was interrupted by ${end.signal}`;
    case "timeout":
      return `${end.limit === "idle" ? "sent nothing for too long" : "took too long"} and was ended`;
    case "ended-after-result":
      return "was ended";
    default:
      return `could not be started: ${end.reason}`;
  }
}

// The system's strings end at NUL: the rest would be lost silently.
export function refusalOfWords({
  command,
  args,
  cwd,
  env,
}: Pick<ChildSpec, "command" | "args" | "cwd" | "env">): string | null {
  const words = [command, cwd, ...args, ...Object.keys(env), ...Object.values(env)];
  return words.some((word) => word.includes("\0"))
    ? "its arguments or its environment hold a NUL character"
    : null;
}
