import { resolve } from "node:path";
import { checkLogTags } from "./log-tags.js";
import { report } from "./report.js";
import { readTree } from "./source/index.js";

// bun scripts/lint-log-tags.ts [root]: every log("4KNMR2PX", …) has its own tag, unique in the tree.

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, ".."));
process.exit(report("log tags", checkLogTags(readTree(root))));
