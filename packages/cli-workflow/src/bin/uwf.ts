import { processHost } from "../io/index.js";
import { main } from "../main.js";

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
// Exit code 1 stands until the end says otherwise, so that a program that just stops is never taken for success.
process.exitCode = 1;
void main(process.argv.slice(2), processHost()).then((code) => process.exit(code));
