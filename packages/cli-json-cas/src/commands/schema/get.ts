import { argument } from "@uncaged/command-line";
import { defineCommand, HASH } from "../../define.js";
import { done, namedSchema } from "../nodes.js";

export const command = defineCommand(() => ({
  path: "schema get",
  summary: "print a schema",
  arguments: { hash: argument(HASH) },
  examples: ["schema get 120VN86QG7052"],
  exits: ["UNKNOWN_TYPE"],
  sample: {
    line: "schema get ATKTFZ48KPNHF",
    prints: `{
  "type": "object",
  "title": "Person"
}`,
  },
  run: ({ store }, { hash }) => done(namedSchema(store, hash)),
}));
