import { resolveHash, type Store, type Violation, validate, validatePayload } from "@uncaged/json-cas";
import { readJsonArgument } from "../input/index.js";
import { namedNode } from "./node.js";
import { namedSchema } from "./schema-get.js";
import type { Answer, CasCommand, Tools } from "./types.js";

type ValidateRequest = { readonly hash: string; readonly json: string | null };

/** With JSON: whether it satisfies the schema. Without: whether the stored node satisfies its own. */
export const schemaValidate: CasCommand<ValidateRequest> = (tools, { hash, json }) =>
  answer(json === null ? violationsOfNode(tools.store, hash) : violationsOfJson(tools, hash, json));

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
