import type { TextSink } from "./types.js";

/** A text that is written as it is made, some of it at a time. */
export type Pieces = {
  readonly add: (text: string) => void;
  /** Writes what has not been written yet. */
  readonly flush: () => void;
};

/** Characters that are written at once: line by line costs half the time of a large document. */
const PIECE = 64 * 1024;

export function piecesOn(sink: TextSink): Pieces {
  let waiting = "";
  const flush = (): void => {
    if (waiting !== "") sink.write(waiting);
    waiting = "";
  };
  const add = (text: string): void => {
    waiting += text;
    if (waiting.length >= PIECE) flush();
  };
  return { add, flush };
}
