import type { Hash } from "@uncaged/json-cas";
import { TYPE } from "./write.js";

// A schema says that a field holds a reference, not to what: our own types are listed here, by field, for a reference
// or a list of them. In the schemas they would make other types of them.

type FieldTypes = ReadonlyMap<string, Hash>;

// extracted session ─ extract → session, and what a session has
// session ─ prompt, raw → content
//         └ turns → turn ─ input, output → content
//                        └ toolCalls → tool call ─ arguments, result → content

const SESSION = [
  ["prompt", TYPE.content],
  ["raw", TYPE.content],
  ["turns", TYPE.reactTurn],
] as const;

/** What the fields of a detail's nodes lead to. */
export const DETAIL_FIELDS: ReadonlyMap<Hash, FieldTypes> = new Map<Hash, FieldTypes>([
  [TYPE.reactSession, new Map(SESSION)],
  [TYPE.extractedSession, new Map([...SESSION, ["extract", TYPE.reactSession]])],
  [
    TYPE.answer,
    new Map([
      ["question", TYPE.content],
      ["raw", TYPE.content],
    ]),
  ],
  [
    TYPE.reactTurn,
    new Map([
      ["input", TYPE.content],
      ["output", TYPE.content],
      ["toolCalls", TYPE.reactToolCall],
    ]),
  ],
  [
    TYPE.reactToolCall,
    new Map([
      ["arguments", TYPE.content],
      ["result", TYPE.content],
    ]),
  ],
]);

/** Common to all of our types. */
export const FIELD_TYPES: ReadonlyMap<Hash, FieldTypes> = new Map([
  ...DETAIL_FIELDS,
  [
    TYPE.stepNode,
    new Map([
      ["start", TYPE.startNode],
      ["prev", TYPE.stepNode],
    ]),
  ],
  [TYPE.startNode, new Map([["workflow", TYPE.workflow]])],
  [TYPE.chunkedFile, new Map([["chunks", TYPE.fileChunk]])],
]);

/** Whether a node is what a field asks for: there are two types of workflows. */
export function isOfType(type: Hash, expected: Hash): boolean {
  return type === expected || (expected === TYPE.workflow && type === TYPE.playedWorkflow);
}
