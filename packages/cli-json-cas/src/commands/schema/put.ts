import { argument } from "@uncaged/command-line";
import { putSchema } from "@uncaged/json-cas";
import { defineCommand, JSON_NOTES, JSON_TEXT } from "../../define.js";
import { done, readJsonArgument } from "../nodes.js";

export const command = defineCommand(() => ({
  path: "schema put",
  summary: "store a JSON Schema (2020-12), print {hash}",
  arguments: { json: argument(JSON_TEXT) },
  examples: [`schema put '{"title": "Person", "type": "object"}'`, "schema put person.schema.json"],
  notes: JSON_NOTES,
  exits: ["INVALID_SCHEMA"],
  sample: {
    line: `schema put '{"title": "Person", "type": "object"}'`,
    prints: `{
  "hash": "ATKTFZ48KPNHF"
}`,
  },
  run: async ({ store, readStdin }, { json }) =>
    done({ hash: await putSchema(store, readJsonArgument(json, readStdin)) }),
}));
