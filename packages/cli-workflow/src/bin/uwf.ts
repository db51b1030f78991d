import { readStepLine } from "../step-line.js";
import { isTerminal } from "../terminal.js";

// Four ways in, each a chunk of its own: the plain `thread step` line that loops call, what completion scripts ask while
// somebody types, pages of help, and everything else. This file loads as little as it can.
// No `await` at the top: a lazily loaded chunk may import from this file, and would wait for it for ever.

/** Settles never: the process ends. */
export function main(): Promise<never> {
  // Remains until the end sets another code, so that a program that just stops is never taken for success.
  process.exitCode = 1;
  return enter(process.argv.slice(2)).then((code) => process.exit(code));
}

async function enter(argv: readonly string[]): Promise<number> {
  const line = readStepLine(argv);
  // On a terminal a person watches: the complete program shows more.
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
  const topic = topicOf(argv);
  if (topic !== null) {
    const { mainHelp } = await import("../main-help.js");
    const exitCode = mainHelp(topic);
    if (exitCode !== null) return exitCode;
  }
  const { main: mainOfAll } = await import("../main.js");
  // An unknown word may be a topic, or is misspelt.
  return mainOfAll(topic === null ? argv : ["help", ...topic]);
}

/**
 * The words of `uwf`, `uwf help thread list` or `uwf thread list --help`; `null`: the line asks for no help. What has options
 * may mean something else by that word.
 */
function topicOf(argv: readonly string[]): readonly string[] | null {
  const [last = "--help", ...words] = argv.toReversed();
  const isFlag = last === "--help" || last === "-h";
  if (!isFlag && argv[0] !== "help") return null;
  const topic = isFlag ? words.reverse() : argv.slice(1);
  return topic.every((word) => /^[a-z][a-z-]*$/.test(word)) ? topic : null;
}
