import { argument } from "@uncaged/command-line";
import { refs as refsOfNode } from "@uncaged/json-cas";
import { defineCommand, HASH } from "../define.js";
import { done, namedNode } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "refs",
  summary: "print the references of a node: {refs}",
  arguments: { hash: argument(HASH) },
  examples: ["refs 64KB4T4A9CKTS"],
  sample: {
    line: "refs 3CZBG03ZSS8T3",
    prints: `{
  "refs": [
    "1MV05XPK04K7N"
  ]
}`,
  },
  run: ({ store }, { hash }) => done({ refs: refsOfNode(store, namedNode(store, hash).node) }),
}));
