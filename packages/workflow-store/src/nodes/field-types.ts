import type { Hash } from "@uncaged/json-cas";
import { referenceFields } from "@uncaged/workflow-protocol";
import { SCHEMA, TYPE } from "./write.js";

/** Of each field that refers to nodes of one type that type. */
type FieldTypes = ReadonlyMap<string, Hash>;

type Name = keyof typeof TYPE;

const NAMES = Object.keys(TYPE) as readonly Name[];

function fieldTypes(names: readonly Name[]): ReadonlyMap<Hash, FieldTypes> {
  const types = new Map(NAMES.map((name) => [SCHEMA[name], TYPE[name]]));
  const typesIn = (name: Name): FieldTypes =>
    new Map(
      [...referenceFields(SCHEMA[name])].flatMap(([field, schema]) => {
        const type = types.get(schema);
        return type === undefined ? [] : [[field, type] as const];
      }),
    );
  return new Map(
    names.map((name) => [TYPE[name], typesIn(name)] as const).filter(([, fields]) => fields.size > 0),
  );
}

/** What the fields of a detail's nodes lead to. */
export const DETAIL_FIELDS = fieldTypes([
  "reactSession",
  "extractedSession",
  "answer",
  "reactTurn",
  "reactToolCall",
]);

/** The same for all of our types. */
export const FIELD_TYPES = fieldTypes(NAMES);

/** Whether a node is what a field asks for: there are two types of workflows. */
export function isOfType(type: Hash, expected: Hash): boolean {
  return type === expected || (expected === TYPE.playedWorkflow && type === TYPE.workflow);
}
