const KEPT = 8_000;

export type Log = { readonly add: (line: string) => void; readonly tail: () => string };

/** Passes lines on, and keeps the end of them. */
export function createLog(pass: (line: string) => void): Log {
  let tail = "";
  return {
    add: (line) => {
      if (line.trim() === "") return;
      tail = `${tail}${line.slice(0, KEPT)}\n`.slice(-KEPT);
      pass(line);
    },
    tail: () => tail,
  };
}
