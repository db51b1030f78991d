import { wrapAnsi } from "fast-wrap-ansi";
import type { Block, Topic } from "../line/index.js";
import { type Paint, paintOn, type Screen } from "../screen/index.js";

/** Wider lines are hard to read. */
const WIDEST = 100;

/** A term up to this width has its text beside it, a longer one below it. */
const TERM_WIDTH = 12;

/** A topic for a terminal or a pager. */
export function asText({ name, summary, sections }: Topic, screen: Screen): string {
  const paint = paintOn(screen);
  const width = Math.min(screen.width, WIDEST);
  const parts = sections.map(
    ({ title, blocks }) =>
      `${paint.strong(title)}\n\n${blocks.map((block) => blockText(block, width, paint)).join("\n")}`,
  );
  return `${paint.strong(name)}: ${summary}\n\n${parts.join("\n")}`;
}

function blockText(block: Block, width: number, paint: Paint): string {
  switch (block.kind) {
    case "text":
      return indented(wrapAnsi(typedWords(block.text, paint), width - 2), 2);
    case "code":
      return indented(block.text, 4);
    case "list":
      return block.items.map(([term, text]) => itemText(term, text, width, paint)).join("");
  }
}

function itemText(term: string, text: string, width: number, paint: Paint): string {
  const shown = term.replaceAll("`", "");
  const isShort = shown.length <= TERM_WIDTH;
  const indent = isShort ? TERM_WIDTH + 4 : 6;
  const body = indented(wrapAnsi(typedWords(text, paint), width - indent), indent);
  if (!isShort) return indented(wrapAnsi(paint.strong(shown), width - 2), 2) + body;
  return `  ${paint.strong(shown)}${" ".repeat(TERM_WIDTH - shown.length + 2)}${body.trimStart()}`;
}

/** What is typed stands out where there is colour. */
function typedWords(text: string, paint: Paint): string {
  return text.replace(/`([^`]+)`/g, (_, word: string) => paint.busy(word));
}

function indented(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "\n" : `${" ".repeat(by)}${line}\n`))
    .join("");
}

/** Section 7 of the manual is about conventions, 1 about commands. */
export function asMan({ name, summary, sections }: Topic, version: string): string {
  const parts = sections.map(
    ({ title, blocks }) => `.SH ${escaped(title.toUpperCase())}\n${blocks.map(blockMan).join("")}`,
  );
  return `${manHead(`UWF-${name.toUpperCase()}`, 7, version)}.SH NAME\nuwf\\-${escaped(name)} \\- ${words(summary)}\n${parts.join("")}`;
}

export function manHead(name: string, section: number, version: string): string {
  return `.TH ${escaped(name)} ${section} "" "uwf ${escaped(version)}" "uwf manual"\n`;
}

/** Text that keeps its lines. */
function manCode(text: string): string {
  return `.PP\n.in +4n\n.nf\n${text.split("\n").map(line).join("\n")}\n.fi\n.in\n`;
}

export function blockMan(block: Block): string {
  switch (block.kind) {
    case "text":
      return `.PP\n${words(block.text)}\n`;
    case "code":
      return manCode(block.text);
    case "list":
      return block.items.map(([term, text]) => `.TP\n${words(term)}\n${words(text)}\n`).join("");
  }
}

function words(text: string): string {
  const parts = text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? `\\fB${escaped(part)}\\fR` : escaped(part)));
  return guarded(parts.join(""));
}

function line(text: string): string {
  return guarded(escaped(text));
}

/** A line that begins with a dot or a quote would be a request. */
function guarded(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
}

/** A topic as a part of the reference page. */
export function asMarkdown({ name, summary, sections }: Topic): string {
  const parts = sections.map(
    ({ title, blocks }) => `### ${title}\n\n${blocks.map(blockMarkdown).join("\n\n")}\n`,
  );
  return `## ${name}\n\nOn the terminal: \`uwf help ${name}\`, ${summary}.\n\n${parts.join("\n")}`;
}

export function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "text":
      return prose(block.text);
    case "code":
      return `\`\`\`\n${block.text}\n\`\`\``;
    case "list":
      return block.items.map(([term, text]) => `- **${prose(term)}**: ${prose(text)}`).join("\n");
  }
}

/** Escapes `<` and `*` outside code: Markdown would take them as markup, and not show them. */
export function prose(text: string): string {
  const parts = text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[<*]/g, "\\$&")));
  return parts.join("`");
}
