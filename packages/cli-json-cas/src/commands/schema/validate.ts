import { argument, optional } from "@uncaged/command-line";
import { resolveHash, type Store, type Violation, validate, validatePayload } from "@uncaged/json-cas";
import { type Answer, defineCommand, HASH, JSON_NOTES, JSON_TEXT, type Tools } from "../../define.js";
import { namedNode, namedSchema, readJsonArgument } from "../nodes.js";

/** With JSON: whether it satisfies the schema. Without: whether the stored node satisfies its own. */
export const command = defineCommand(() => ({
  path: "schema validate",
  summary: "print {valid, violations} for a stored node, or for JSON against the schema <hash>; exit 0 or 4",
  arguments: { hash: argument(HASH), json: optional(JSON_TEXT) },
  examples: ["schema validate 64KB4T4A9CKTS", `schema validate 120VN86QG7052 '{"name": 1}'`],
  notes: JSON_NOTES,
  exits: ["UNKNOWN_TYPE"],
  sample: {
    line: "schema validate ATKTFZ48KPNHF 7",
    prints: `{
  "valid": false,
  "violations": [
    {
      "path": "",
      "keyword": "type",
      "expected": "object",
      "got": "7"
    }
  ]
}`,
  },
  run: (tools, { hash, json }) =>
    answer(json === null ? violationsOfNode(tools.store, hash) : violationsOfJson(tools, hash, json)),
}));

function violationsOfNode(store: Store, text: string): readonly Violation[] {
  const { node } = namedNode(store, text);
  namedSchema(store, resolveHash(store, node.type));
  return validate(store, node);
}

function violationsOfJson({ store, readStdin }: Tools, text: string, json: string): readonly Violation[] {
  const schema = namedSchema(store, text);
  return validatePayload(schema, readJsonArgument(json, readStdin));
}

function answer(violations: readonly Violation[]): Answer {
  const valid = violations.length === 0;
  return { document: { valid, violations }, exitCode: valid ? 0 : 4 };
}
