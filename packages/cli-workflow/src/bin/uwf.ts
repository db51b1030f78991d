import { processHost } from "../io/index.js";
import { readStepLine } from "../step-line/index.js";

// Two roads, each a chunk of its own: the plain `thread step` line that loops call, and everything else.
// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
// Exit code 1 stands until the end says otherwise, so that a program that just stops is never taken for success.
process.exitCode = 1;
const argv = process.argv.slice(2);
const host = processHost();
const line = readStepLine(argv);
const ended =
  line === null
    ? import("../main.js").then(({ main }) => main(argv, host))
    : import("../main-step.js").then(({ mainStep }) => mainStep(line, argv, host));
void ended.then((code) => process.exit(code));
