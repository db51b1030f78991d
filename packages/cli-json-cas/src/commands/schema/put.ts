import { argument } from "@uncaged/command-line";
import { putSchema } from "@uncaged/json-cas";
import { defineCommand } from "../../define.js";
import { readJsonArgument } from "../../input.js";
import { JSON_NOTES, JSON_TEXT } from "../../kinds.js";
import { done } from "../nodes.js";

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
