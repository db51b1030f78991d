import type { Block, Topic } from "./types.js";

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
