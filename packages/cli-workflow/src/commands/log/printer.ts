import type { LogEntry } from "@uncaged/workflow-store";
import { piecesOn } from "../../io/index.js";
import type { ItemRenderer } from "../../render/index.js";
import type { CommandContext } from "../types.js";

/** Puts entries on stdout as they are read, and says how many lines were none. */
export type Printer = {
  /** `null` is a torn or foreign line. */
  readonly print: (entry: LogEntry | null) => Promise<void>;
  /** Nobody reads on, as far as is known. */
  readonly isClosed: () => boolean;
  /** Shows all that has been printed, and says what was left out. */
  readonly flush: () => void;
  readonly end: () => void;
};

export function createPrinter({ host, warn }: CommandContext, renderer: ItemRenderer): Printer {
  const pieces = piecesOn(host.stdout);
  let leftOut = 0;
  const print = async (entry: LogEntry | null): Promise<void> => {
    if (entry === null) leftOut += 1;
    else pieces.add(await renderer.item(itemOf(entry)));
  };
  const flush = (): void => {
    pieces.flush();
    if (leftOut > 0) warn(`${leftOutLines(leftOut)} of the log left out: torn, or not written by uwf`);
    leftOut = 0;
  };
  const end = (): void => {
    pieces.add(renderer.end());
    flush();
  };
  return { print, isClosed: host.stdout.isClosed, flush, end };
}

function leftOutLines(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

/** The line as it stands, after its time as a person reads it, UTC. */
function itemOf({ line, timestamp }: LogEntry) {
  return { time: new Date(timestamp).toISOString(), ...line };
}
