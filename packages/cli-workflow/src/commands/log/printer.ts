import type { LogEntry } from "@uncaged/workflow-store";
import type { ItemRenderer } from "../../render/index.js";
import type { CommandContext } from "../types.js";

/** Puts entries on stdout as they are read, and says in the end how many lines were none. */
export type Printer = {
  /** `null` is a torn or foreign line. */
  readonly print: (entry: LogEntry | null) => Promise<void>;
  /** Nobody reads on. */
  readonly isClosed: () => boolean;
  /** Says what has been left out so far. */
  readonly warn: () => void;
  readonly end: () => void;
};

/** The line as it stands, after its time as a person reads it, UTC. */
function itemOf({ line, timestamp }: LogEntry) {
  return { time: new Date(timestamp).toISOString(), ...line };
}

export function createPrinter({ host, warn }: CommandContext, renderer: ItemRenderer): Printer {
  let leftOut = 0;
  const print = async (entry: LogEntry | null): Promise<void> => {
    if (entry === null) leftOut += 1;
    else host.stdout.write(await renderer.item(itemOf(entry)));
  };
  const warnNow = (): void => {
    if (leftOut === 0) return;
    warn(`${leftOut} ${leftOut === 1 ? "line" : "lines"} of the log left out: torn, or not written by uwf`);
    leftOut = 0;
  };
  const end = (): void => {
    host.stdout.write(renderer.end());
    warnNow();
  };
  return { print, isClosed: host.stdout.isClosed, warn: warnNow, end };
}
