import { wrapAnsi } from "fast-wrap-ansi";
import { type Paint, paintOn, type Screen } from "../screen/index.js";
import type { Block, Topic } from "./types.js";

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
      return indented(wrapAnsi(words(block.text, paint), width - 2), 2);
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
  const body = indented(wrapAnsi(words(text, paint), width - indent), indent);
  if (!isShort) return indented(wrapAnsi(paint.strong(shown), width - 2), 2) + body;
  return `  ${paint.strong(shown)}${" ".repeat(TERM_WIDTH - shown.length + 2)}${body.trimStart()}`;
}

/** What is typed stands out where there is colour. */
function words(text: string, paint: Paint): string {
  return text.replace(/`([^`]+)`/g, (_, word: string) => paint.busy(word));
}

function indented(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "\n" : `${" ".repeat(by)}${line}\n`))
    .join("");
}
