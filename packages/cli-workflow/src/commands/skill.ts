import { err, fault } from "@uncaged/workflow-protocol";
import type { Command } from "commander";
import { SKILL_PARTS, skillText } from "../help/index.js";
import type { CommandContext, CommandResult } from "../line/index.js";
import { text } from "./output.js";

type SkillRequest = {
  /** `null`: all of them. */
  readonly part: string | null;
  /** Whose commands are listed. */
  readonly program: Command;
};

/** What a coding agent has to know, as Markdown. Text also in a pipe. */
export async function skill(_context: CommandContext, { part, program }: SkillRequest): CommandResult {
  const wanted = SKILL_PARTS.filter((each) => part === null || each === part);
  if (wanted.length > 0) return text(skillText(program, wanted));
  const reason = `there is no part ${part}, there are ${SKILL_PARTS.join(", ")}`;
  return err(fault("USAGE", { reason, usage: "see `uwf help skill`" }));
}
