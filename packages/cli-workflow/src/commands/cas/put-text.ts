import { LIMITS } from "@uncaged/workflow-protocol";
import { attemptAsync, putContent } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { readGivenText, type TextKind, type TextSource } from "../given-text.js";
import { document } from "../output.js";

const TEXT: TextKind = {
  name: "the text",
  limit: LIMITS.reply,
  missing: "the text is missing: give it as an argument, - for stdin, or --file <path>",
  both: "give a text or --file, not both",
  usage: "see `uwf help cas put-text`",
};

/** Stores a text unchanged as a `content` node, for a role's `cas_ref` field. */
export async function casPutText(context: CommandContext, request: TextSource): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const text = readGivenText(context.host, request, TEXT);
  if (!text.ok) return text;
  const hash = await attemptAsync(() => putContent(storage.value.cas, text.value));
  return hash.ok ? document({ hash: hash.value }, () => `${hash.value}\n`) : hash;
}
