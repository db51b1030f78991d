import { createRequire } from "node:module";

export type { Host, TextSink } from "./io.js";

// What an import of the package leads to once it is installed: its bundle, the names in which Node.js does not see.
const bundle = createRequire(import.meta.url)("./bin/main.js") as typeof import("./main.js");

export const { main } = bundle;
