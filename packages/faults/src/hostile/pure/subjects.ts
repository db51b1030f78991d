import { commandLines } from "./command-lines.js";
import { expressions, plainExpressions } from "./expressions.js";
import { ids } from "./ids.js";
import { nodes } from "./nodes.js";
import { replies, replyBombs } from "./replies.js";
import { schemaBombs, schemas } from "./schemas.js";
import { stateFiles } from "./state-files.js";
import { terminalTexts } from "./terminal.js";
import type { Subject } from "./types.js";
import { workflowBombs, workflowFiles } from "./workflow-files.js";

/** Everything that is tried in this process, by the thousand. */
export const SUBJECTS: readonly Subject[] = [
  workflowFiles,
  workflowBombs,
  replies,
  replyBombs,
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
