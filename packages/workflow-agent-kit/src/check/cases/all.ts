import type { Case } from "../types.js";
import { exitCodes } from "./exit-codes.js";
import { goodReply, longPrompt, noise } from "./good-reply.js";
import { keys } from "./keys.js";
import { kill } from "./kill.js";
import { missingField } from "./missing-field.js";
import { lostSession, resume } from "./resume.js";
import { version } from "./version.js";

/** In the order in which they are run: what costs nothing comes first. */
export const CASES: readonly Case[] = [
  version,
  exitCodes,
  goodReply,
  missingField,
  longPrompt,
  keys,
  resume,
  lostSession,
  kill,
  noise,
];
