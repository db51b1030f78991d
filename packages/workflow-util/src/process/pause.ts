// By hand: loading node:timers/promises costs bun 3 ms at every start of the program.

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Pauses of `ms` and a turn of the event loop; `clear` drops the last one, whose timer would keep the process alive. */
export function pauses(ms: number): { readonly pause: () => Promise<void>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    pause: () =>
      new Promise((resolve) => {
        timer = setTimeout(() => setImmediate(resolve), ms);
      }),
    clear: () => clearTimeout(timer),
  };
}
