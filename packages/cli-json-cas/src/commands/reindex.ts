import { reindexStore } from "@uncaged/json-cas-fs";
import { defineCommand } from "../define.js";
import { done } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "reindex",
  summary: "rebuild the index by type from the nodes, and damaged indexes of packs",
  examples: ["reindex"],
  sample: { line: "reindex", prints: "rebuilt the index" },
  run: async ({ dir }) => done(await reindexStore(dir)),
}));
