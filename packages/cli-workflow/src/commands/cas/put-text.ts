import { option, optional } from "@uncaged/command-line";
import { LIMITS } from "@uncaged/workflow-protocol";
import { attemptAsync, putNode } from "@uncaged/workflow-store";
import { defineRootCommand, PATH, TEXT } from "../../line/index.js";
import { readGivenText, type TextKind } from "../given-text.js";
import { document } from "../output.js";

const GIVEN: TextKind = {
  name: "the text",
  limit: LIMITS.reply,
  missing: "the text is missing: give it as an argument, - for stdin, or --file <path>",
  both: "give a text or --file, not both",
  usage: "see `uwf help cas put-text`",
};

/** Stores a text unchanged as a `content` node, for a role's `cas_ref` field. */
export const command = defineRootCommand({
  path: "cas put-text",
  summary: "store a text, print {hash}: what a cas_ref field can refer to",
  arguments: { text: optional(TEXT) },
  options: { file: option(PATH, "read the text from this file") },
  examples: [
    'uwf cas put-text "The parser, then its tests."',
    "uwf cas put-text --file plan.md",
    "git diff | uwf cas put-text -",
  ],
  sample: { line: 'cas put-text "The parser, then its tests."', prints: "7383PTTAA68JM" },
  run: async (context, request, storage) => {
    const text = readGivenText(context.host, request, GIVEN);
    if (!text.ok) return text;
    const hash = await attemptAsync(() => putNode(storage.cas, "content", { text: text.value }));
    return hash.ok ? document({ hash: hash.value }, () => `${hash.value}\n`) : hash;
  },
});
