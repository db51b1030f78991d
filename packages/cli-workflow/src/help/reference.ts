import { WHO_PLAYS } from "@uncaged/workflow-engine";
import { EXIT_CODES } from "@uncaged/workflow-protocol";
import type { Command } from "commander";
import { COMMON_EXITS, list, type Topic } from "../line/index.js";
import { type Page, pagesOf } from "./pages.js";
import { asMan, asMarkdown, blockMan, blockMarkdown, manHead, prose } from "./renderings.js";
import { TOPICS } from "./topics.js";

// docs/reference.md and the man pages: the command line and the topics of its help, once more for reading elsewhere.

const COMMON = list(
  [
    "`--format json|yaml|text`",
    "how the result is printed. Default: text on a terminal, else json. `workflow graph` and `workflow validate` have more",
  ],
  ["`--color auto|always|never`", "color of text. Default: auto, which respects `NO_COLOR`"],
  ["`--error-format text|json`", "how a failure is printed on stderr"],
  ["`-h`, `--help`", "the page of a command, with examples and a sample of its output"],
);

const COMMON_EXIT_WORDS = COMMON_EXITS.map((code) => `${code} (${EXIT_CODES[code].split(/[,;:]/, 1)[0]})`);

const EXITS = `Every command may exit with ${COMMON_EXIT_WORDS.slice(0, -1).join(", ")} and ${COMMON_EXIT_WORDS.at(-1)}; what else a command may exit with stands on its page, what it means in \`uwf help exit-codes\`.`;

const MADE = "<!-- Made by `bun run build` from the definitions of the commands. Do not edit. -->";

/** The same for the package, which has no other documents: a link to one is its words. */
export function withoutLinks(reference: string): string {
  return reference.replace(/\[([^\]]+)\]\((?!#)[^)]+\)/g, "$1");
}

/** docs/reference.md. */
export function referenceMarkdown(program: Command): string {
  const pages = pagesOf(program);
  return `${MADE}

# Reference

Every command and every topic of \`uwf help\`. To learn uwf, begin with the [tutorial](tutorial.md).

${pages.map(({ name, summary }) => `- ${linked(name)}: ${prose(summary)}`).join("\n")}

Topics: ${TOPICS.map(({ name }) => linked(name)).join(", ")}.

## Options of every command

${blockMarkdown(COMMON)}

${EXITS}

## Commands

${pages.map(pageMarkdown).join("\n")}
${TOPICS.map(asMarkdown).join("\n")}`;
}

function linked(heading: string): string {
  return `[${heading}](#${heading.replaceAll(" ", "-")})`;
}

function pageMarkdown({ name, usage, summary, blocks }: Page): string {
  const parts = [`\`${usage}\``, `${prose(sentence(summary))}`, ...blocks.map(blockMarkdown)];
  return `### ${name}\n\n${parts.join("\n\n")}\n`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The man pages by file name: one for `uwf`, one for each of its commands and groups, one for each topic. */
export function manPages(program: Command, version: string): Readonly<Record<string, string>> {
  const pages = pagesOf(program);
  const firsts = pages.filter(({ name }) => name.split(" ").length === 2);
  const own = firsts.map((first) => {
    const all = pages.filter(({ name }) => name === first.name || name.startsWith(`${first.name} `));
    return [`${first.name.replace(" ", "-")}.1`, commandMan(first, all, version)] as const;
  });
  const topics = TOPICS.map((topic): readonly [string, string] => [
    `uwf-${topic.name}.7`,
    asMan(topic, version),
  ]);
  return Object.fromEntries([["uwf.1", rootMan(program, firsts, version)], ...own, ...topics]);
}

function rootMan(program: Command, pages: readonly Page[], version: string): string {
  const commands = list(...pages.map(({ usage, summary }) => [`\`${usage}\``, summary] as const));
  const topics = list(...TOPICS.map(({ name, summary }) => [`\`uwf-${name}\`(7)`, summary] as const));
  return topicMan("UWF", "uwf", program.description().replace(/\.$/, ""), version, [
    ["SYNOPSIS", [{ kind: "text", text: "`uwf` <command> [options]" }]],
    ["COMMANDS", [commands]],
    ["OPTIONS OF EVERY COMMAND", [COMMON]],
    ["EXIT STATUS", [{ kind: "text", text: EXITS }]],
    ["SEE ALSO", [topics]],
  ]);
}

function commandMan(first: Page, pages: readonly Page[], version: string): string {
  const shown = pages.filter(({ blocks }) => blocks.length > 0);
  const name = first.name.replace(" ", "-");
  return topicMan(name.toUpperCase(), name, first.summary, version, [
    ...shown.map(({ usage, summary, blocks }) => {
      const head = [{ kind: "text", text: sentence(summary) } as const];
      return [usage, [...head, ...blocks]] as const;
    }),
    ["SEE ALSO", [{ kind: "text", text: "`uwf`(1), `uwf-exit-codes`(7)" }]],
  ]);
}

type ManSection = readonly [title: string, blocks: Topic["sections"][number]["blocks"]];

function topicMan(
  title: string,
  name: string,
  summary: string,
  version: string,
  sections: readonly ManSection[],
): string {
  const head = `${manHead(title, 1, version)}.SH NAME\n${blockMan({ kind: "text", text: `${name} - ${summary}` }).replace(/^\.PP\n/, "")}`;
  const parts = sections.map(
    ([heading, blocks]) => `.SH ${escapedTitle(heading)}\n${blocks.map(blockMan).join("")}`,
  );
  return `${head}${parts.join("")}`;
}

function escapedTitle(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}

const PLAYERS =
  /(?<=<!-- who plays a role, in (brief|full): made by `bun run docs` -->\n)[\s\S]*?(?=<!-- end -->)/g;

/** A document with the places that say who plays a role filled. */
export function withWhoPlays(text: string): string {
  return text.replace(PLAYERS, (_old, how: string) =>
    how === "brief"
      ? `${WHO_PLAYS.map(({ brief }) => brief).join(", ")}\n`
      : `${WHO_PLAYS.map(({ words, where }, index) => `${index + 1}. \`${words}\` ${where}`).join("\n")}\n`,
  );
}
