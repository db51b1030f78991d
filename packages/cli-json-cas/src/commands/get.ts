import { argument, flag } from "@uncaged/command-line";
import { defineCommand, HASH } from "../define.js";
import { done, namedNode } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "get",
  summary: "print a node: {type, payload}",
  arguments: { hash: argument(HASH) },
  options: { timestamp: flag("also print the time of the first put (epoch ms)") },
  examples: ["get 64KB4T4A9CKTS", "get 64KB --timestamp"],
  sample: {
    line: "get 3CZBG03ZSS8T3",
    prints: `{
  "type": "1ACG42ARBBGGM",
  "payload": {
…`,
  },
  run: ({ store }, request) => {
    const { type, payload, timestamp } = namedNode(store, request.hash).node;
    return done(request.timestamp ? { type, payload, timestamp } : { type, payload });
  },
}));
