import { option } from "@uncaged/command-line";
import { resolveHash } from "@uncaged/json-cas";
import { defineCommand, HASH } from "../define.js";
import { done } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "list",
  summary: "print the hashes of all nodes: {hashes}",
  options: { type: option(HASH, "only nodes of this type") },
  examples: ["list", "list --type 120VN86QG7052"],
  sample: {
    line: "list --type ATKTFZ48KPNHF",
    prints: `{
  "hashes": [
    "AE9HYCKA9MEVE"
  ]
}`,
  },
  run: ({ store }, { type }) =>
    done({ hashes: type === null ? store.list() : store.listByType(resolveHash(store, type)) }),
}));
