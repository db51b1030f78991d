import type { TextSink } from "../../io/index.js";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
/** Seconds between two lines where no terminal is watching. */
const LINE_SECONDS = 10;

/** A line that is shown again and again, and what else is written meanwhile: the two share lines with nobody. */
export type Elapsed = {
  /** stderr for everybody else. */
  readonly sink: TextSink;
  /** Takes the line away, before something else is said. */
  readonly clear: () => void;
  readonly stop: () => void;
};

/** A spinner on a terminal, else a plain line now and then. */
export function showElapsed(stderr: TextSink, line: () => string): Elapsed {
  const onTerminal = stderr.isTerminal();
  let tick = 0;
  let isShown = false;
  let insideLine = false;
  const clear = (): void => {
    if (isShown) stderr.write("\r\u001b[K");
    isShown = false;
  };
  const show = (): void => {
    tick += 1;
    if (insideLine) return;
    stderr.write(onTerminal ? `\r${FRAMES[tick % FRAMES.length]} ${line()}` : `${line()}\n`);
    isShown = onTerminal;
  };
  const write = (text: string): void => {
    if (text === "") return;
    clear();
    stderr.write(text);
    insideLine = !text.endsWith("\n");
  };
  const timer = setInterval(show, onTerminal ? SPIN_MS : LINE_SECONDS * 1000);
  const stop = (): void => {
    clearInterval(timer);
    clear();
  };
  return { sink: { ...stderr, write }, clear, stop };
}
