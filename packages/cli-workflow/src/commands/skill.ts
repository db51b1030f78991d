import { optional, text as textKind } from "@uncaged/command-line";
import { SKILL_PARTS, skillText } from "../help/index.js";
import { defineCommand } from "../line/index.js";
import { wordsTree } from "../main-help.js";
import { misused, text } from "./output.js";

/** What a coding agent has to know, as Markdown. Text also in a pipe. */
export const command = defineCommand({
  path: "skill",
  summary: "print what a coding agent needs to know about uwf, as Markdown",
  arguments: { part: optional(textKind("part", { candidates: SKILL_PARTS })) },
  examples: ["uwf skill > SKILL.md", "uwf skill author"],
  notes: "Parts: cli (use uwf), author (write a workflow), agent (write an agent)",
  sample: {
    line: "skill",
    prints: `---
name: uwf
…`,
  },
  run: async (_context, { part }) => {
    const wanted = SKILL_PARTS.filter((each) => part === null || each === part);
    if (wanted.length > 0) return text(skillText(wordsTree(), wanted));
    return misused(`there is no part ${part}, there are ${SKILL_PARTS.join(", ")}`, "see `uwf help skill`");
  },
});
