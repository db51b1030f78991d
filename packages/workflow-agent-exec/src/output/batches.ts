export type Batches = {
  readonly push: (line: string) => void;
  /** Tells what still waits. */
  readonly finish: () => void;
};

/**
 * Hands lines on together where many come at once: one write for 64 KiB of output, not one for each of its empty lines.
 * What `tell` throws is thrown by the next `push`, or by `finish`.
 */
export function inBatches(tell: (lines: string) => void): Batches {
  let waiting: string[] = [];
  const errors: unknown[] = [];
  const rethrow = (): void => {
    if (errors.length > 0) throw errors[0];
  };
  const flush = (): void => {
    if (waiting.length === 0 || errors.length > 0) return;
    const lines = waiting.join("\n");
    waiting = [];
    try {
      tell(lines);
    } catch (error) {
      errors.push(error);
    }
  };
  const push = (line: string): void => {
    rethrow();
    // It runs after the chunk that the line came in, and before the next.
    if (waiting.push(line) === 1) queueMicrotask(flush);
  };
  const finish = (): void => {
    flush();
    rethrow();
  };
  return { push, finish };
}
