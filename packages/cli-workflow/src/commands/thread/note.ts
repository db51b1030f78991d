import { argument, option, optional } from "@uncaged/command-line";
import { LIMITS, type NoteOutput } from "@uncaged/workflow-protocol";
import { addNote } from "@uncaged/workflow-store";
import { CHANGE_FAULTS, defineRootCommand, NAME, PATH, ROOT_FAULTS, TEXT, THREAD } from "../../line/index.js";
import { counted, lines } from "../../screen/index.js";
import { userName } from "../../user-name.js";
import { readGivenText, type TextKind } from "../given-text.js";
import { document } from "../output.js";
import { eventLog, findTrusted, warnOfCopy } from "./change.js";

const NOTE: TextKind = {
  name: "the note",
  limit: LIMITS.frontmatter,
  missing: "the note is missing: give it as text or with --file <path>",
  both: "give the note as text or with --file, not both",
  usage: "see `uwf help thread note`",
};

/** A remark for the next run of the thread. Conditions never see it. */
export const command = defineRootCommand({
  path: "thread note",
  summary: "leave a note for the next run; - reads it from stdin",
  arguments: { thread: argument(THREAD), text: optional(TEXT) },
  options: {
    file: option(PATH, "read the note from a file"),
    by: option(NAME, "the note's author (default: $USER)"),
  },
  examples: [
    'uwf thread note 01KAJ5E8 "keep the old option working"',
    "uwf thread note 01KAJ5E8 --file review.md",
  ],
  exits: [...ROOT_FAULTS, ...CHANGE_FAULTS],
  sample: {
    line: 'thread note W8YB "keep the old option"',
    prints: "1 note for the next run of thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  },
  run: async (context, request, storage) => {
    const { host } = context;
    const text = readGivenText(host, request, NOTE);
    if (!text.ok) return text;
    const found = await findTrusted(context, storage, request.thread, "change");
    if (!found.ok) return found;
    const { thread, head } = found.value;
    const by = request.by ?? userName(host.env);
    const added = await addNote(storage, thread, { text: text.value.trim(), by, at: host.now() });
    if (!added.ok) return added;
    warnOfCopy(context, storage, thread);
    eventLog(context, storage, thread)("Q7KD4RZ2", `${by} left a note for the next run`, "noted", {
      head,
      by,
    });
    const output: NoteOutput = { thread, notes: added.value };
    return document(output, (screen) =>
      lines(screen, [`${counted(added.value, "note")} for the next run of thread ${thread}`]),
    );
  },
});
