import type { Command, Option } from "commander";
import { type Block, code, list, sampleText, VALUED } from "../line/index.js";
import { WORDS } from "../words.made.js";

/** A command as the reference and the man pages show it. */
export type Page = {
  /** `uwf thread list`. */
  readonly name: string;
  /** `uwf thread list [options]`. */
  readonly usage: string;
  readonly summary: string;
  /** The text below the usage; a group has none, since its commands follow. */
  readonly blocks: readonly Block[];
};

/** The pages of a program's commands, groups before what is in them. */
export function pagesOf(program: Command): readonly Page[] {
  return program.commands.flatMap((command) => pagesBelow(command, command.name()));
}

function pagesBelow(command: Command, path: string): readonly Page[] {
  const below = command.commands.flatMap((each) => pagesBelow(each, `${path} ${each.name()}`));
  return [pageOf(command, path), ...below];
}

function pageOf(command: Command, path: string): Page {
  const isGroup = command.commands.length > 0;
  const name = `uwf ${path}`;
  const usage = isGroup ? `${name} <command>` : `${name} ${command.usage()}`.trimEnd();
  return { name, usage, summary: command.description(), blocks: isGroup ? [] : blocksOf(command, path) };
}

function blocksOf(command: Command, path: string): readonly Block[] {
  const words = WORDS[path];
  if (words === undefined) throw new Error(`no command is called ${path}`);
  const { examples, notes, exitCodes } = words;
  const items = [...argumentItems(command), ...optionItems(command)];
  const sample = sampleText(words);
  return [
    ...(items.length === 0 ? [] : [list(...items)]),
    ...(examples.length === 0 ? [] : [code(examples.map((example) => `$ ${example}`).join("\n"))]),
    ...(notes === "" ? [] : [code(notes.trimEnd())]),
    ...(sample === "" ? [] : [paragraph("It prints:"), code(sample.trimEnd())]),
    ...(exitCodes.length === 0
      ? []
      : [paragraph(`Exit codes besides those of every command (0, 1, 2, 7, 74): ${exitCodes.join(", ")}.`)]),
  ];
}

function paragraph(text: string): Block {
  return { kind: "text", text };
}

function argumentItems(command: Command): readonly (readonly [string, string])[] {
  return command.registeredArguments.flatMap((argument) => {
    const { description } = argument;
    return description === "" ? [] : [[`\`<${argument.name()}>\``, description] as const];
  });
}

function optionItems(command: Command): readonly (readonly [string, string])[] {
  const own = command.options.filter(({ long }) => long !== "--help" && !VALUED.has(long ?? ""));
  return own.map((option) => [`\`${option.flags}\``, option.description + defaultOf(option)] as const);
}

function defaultOf({ defaultValue }: Option): string {
  const isTold = typeof defaultValue === "string" || typeof defaultValue === "number";
  return isTold ? ` (default: ${defaultValue})` : "";
}
