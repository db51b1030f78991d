import type { Block, Topic } from "./types.js";

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
