import type { Block, Topic } from "./types.js";

/** A topic as a part of the reference page. */
export function asMarkdown({ name, summary, sections }: Topic): string {
  const parts = sections.map(
    ({ title, blocks }) => `### ${title}\n\n${blocks.map(blockMarkdown).join("\n\n")}\n`,
  );
  return `## ${name}\n\nOn the terminal: \`uwf help ${name}\`, ${summary}.\n\n${parts.join("\n")}`;
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "code":
      return `\`\`\`\n${block.text}\n\`\`\``;
    case "list":
      return block.items.map(([term, text]) => `- **${term}**: ${text}`).join("\n");
  }
}
