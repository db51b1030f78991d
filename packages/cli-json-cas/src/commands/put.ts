import { argument, text } from "@uncaged/command-line";
import { type Hash, parseHash, resolveHash, type Store } from "@uncaged/json-cas";
import { defineCommand, JSON_NOTES, JSON_TEXT } from "../define.js";
import { done, readJsonArgument } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "put",
  summary: "store a payload under its schema, print {hash}",
  arguments: { typeHash: argument(text("type-hash")), json: argument(JSON_TEXT) },
  examples: [
    `put 120VN86QG7052 '{"name": "Ada"}'`,
    "put 120VN86QG7052 payload.json",
    "put 120VN86QG7052 - < payload.json",
  ],
  notes: JSON_NOTES,
  exits: ["NODE_MISSING", "UNKNOWN_TYPE", "INVALID_PAYLOAD", "INVALID_SCHEMA"],
  sample: {
    line: `put ATKTFZ48KPNHF '{"name": "Ada"}'`,
    prints: `{
  "hash": "AE9HYCKA9MEVE"
}`,
  },
  run: async ({ store, readStdin }, { typeHash, json }) => {
    const type = resolveType(store, typeHash);
    const payload = readJsonArgument(json, readStdin);
    return done({ hash: await store.put(type, payload) });
  },
}));

/** A complete hash is left to `put`, which says of an unknown one that it is not a schema. */
function resolveType(store: Store, text: string): Hash {
  return parseHash(text) ?? resolveHash(store, text);
}
