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

/** The callback, with what it throws taken to `fail`. */
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
