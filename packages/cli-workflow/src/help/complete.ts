import type { Command } from "commander";
import { sampleText as sampleOf } from "../line/index.js";
import { WORDS } from "../words.made.js";
import { ARGUMENTS } from "./arguments.js";
import { EXITS } from "./exits.js";
import { SAMPLES } from "./samples.js";

// What help pages have beyond the command line itself. Loaded only where somebody asks for help.

/** Of every command; a page shows them below its own options. */
export const COMMON_OPTIONS: ReadonlySet<string | undefined> = new Set([
  "--format",
  "--color",
  "--error-format",
  "--help",
]);

/** Adds to every command of the program what its arguments are, a sample of its output, and its exit codes. */
export function completeHelp(program: Command): void {
  visit(program, "");
}

function visit(command: Command, path: string): void {
  for (const option of command.options) if (option.defaultValue === false) option.defaultValue = undefined;
  for (const argument of command.registeredArguments) {
    const known = ARGUMENTS[argument.name()];
    if (argument.description === "" && known !== undefined) argument.description = known;
  }
  const sample = sampleText(path);
  if (sample !== "") command.addHelpText("after", `\nOutput:\n${sample.replace(/^(?=.)/gm, "  ")}`);
  const exits = exitCodesAt(path);
  if (exits.length > 0)
    command.addHelpText(
      "after",
      `${sample === "" ? "\n" : ""}Exit codes: ${every(exits).join(", ")}; see uwf help exit-codes`,
    );
  for (const below of command.commands) visit(below, path === "" ? below.name() : `${path} ${below.name()}`);
}

/** Beside those of every command. */
export function exitCodesAt(path: string): readonly number[] {
  return WORDS[path]?.exitCodes ?? EXITS[path] ?? [];
}

/** Those of every command are among them. */
function every(exits: readonly number[]): readonly number[] {
  return [...new Set([0, 1, 2, 7, 74, ...exits])].sort((a, b) => a - b);
}

/** The command and what it prints; empty without a sample. */
export function sampleText(path: string): string {
  const words = WORDS[path];
  if (words !== undefined) return sampleOf(words);
  const sample = Object.hasOwn(SAMPLES, path) ? SAMPLES[path] : undefined;
  return sample === undefined ? "" : `$ uwf ${sample.command}\n${sample.prints}\n`;
}
