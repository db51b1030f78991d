import { readStepLine } from "../step-line.js";
import { isTerminal } from "../terminal.js";

// Three ways in, each a chunk of its own: the plain `thread step` line that loops call, what completion scripts ask while
// somebody types, and everything else. This file loads as little as it can.
// No `await` at the top: a lazily loaded chunk may import from this file, and would wait for it for ever.

/** Settles never: the process ends. */
export function main(): Promise<never> {
  // Stands until the end says otherwise, so that a program that just stops is never taken for success.
  process.exitCode = 1;
  return enter(process.argv.slice(2)).then((code) => process.exit(code));
}

async function enter(argv: readonly string[]): Promise<number> {
  const line = readStepLine(argv);
  // On a terminal somebody watches: the complete program shows them more.
  if (line !== null && !isTerminal(1) && !isTerminal(2)) {
    const { mainStep } = await import("../main-step.js");
    return mainStep(line, argv);
  }
  const [command, ...words] = argv;
  // COMPLETE, whose module is loaded for nothing else.
  if (command === "__complete") {
    const { mainComplete } = await import("../main-complete.js");
    return mainComplete(words);
  }
  const { main: mainOfAll } = await import("../main.js");
  return mainOfAll(argv);
}
