import { processHost } from "../io/index.js";
import { readStepLine } from "../step-line/index.js";

// Three roads, each a chunk of its own: the plain `thread step` line that loops call, what completion scripts ask while
// somebody types, and everything else.
// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
// Exit code 1 stands until the end says otherwise, so that a program that just stops is never taken for success.
process.exitCode = 1;
const argv = process.argv.slice(2);
const host = processHost();
void enter().then((code) => process.exit(code));

function enter(): Promise<number> {
  const line = readStepLine(argv);
  if (line !== null) return import("../main-step.js").then(({ mainStep }) => mainStep(line, argv, host));
  const [command, ...words] = argv;
  // COMPLETE, whose module is loaded for nothing else.
  if (command === "__complete")
    return import("../main-complete.js").then(({ mainComplete }) => mainComplete(words, host));
  return import("../main.js").then(({ main }) => main(argv, host));
}
