import { answers } from "./answers.js";
import type { Subject } from "./batch.js";
import { expressions, plainExpressions } from "./expressions.js";
import { stateFiles, workflowBombs, workflowFiles } from "./files.js";
import { ids, nodes, schemaBombs, schemas } from "./nodes.js";
import { commandLines, replies, replyBombs, terminalTexts } from "./texts.js";

/** Everything that is tried in this process, by the thousand. */
export const SUBJECTS: readonly Subject[] = [
  workflowFiles,
  workflowBombs,
  replies,
  replyBombs,
  answers,
  plainExpressions,
  expressions,
  schemas,
  schemaBombs,
  nodes,
  stateFiles,
  ids,
  commandLines,
  terminalTexts,
];
