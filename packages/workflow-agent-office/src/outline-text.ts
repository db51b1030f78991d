import type { Outline, OutlineBlock } from "@uncaged/workflow-docx";

/**
 * An outline for an editor, person or model: a line for each block and each row of a table, with the number by which an
 * edit names it; at the end the styles. Above `maxCharacters` blocks are left out from the end, and a line says how to see
 * them.
 */
export function outlineText({ blocks, styles }: Outline, maxCharacters: number): string {
  const lines: string[] = [];
  let left = maxCharacters;
  for (const block of blocks) {
    const text = blockText(block);
    left -= text.length + 1;
    if (left < 0) break;
    lines.push(text);
  }
  const more = blocks.length - lines.length;
  if (more > 0)
    lines.push(
      `… ${more} more ${more === 1 ? "block" : "blocks"}, for which there is no room here: ` +
        "`uwf-agent-docx outline <file>` shows all, of a stored document after `uwf cas file get <hash> -o <file>`",
    );
  return [...lines, `styles: ${styles.join(", ")}`].join("\n");
}

function blockText({ block, kind, level, style, text, rows }: OutlineBlock): string {
  const what = kind === "heading" || (kind === "item" && level !== 1) ? `${kind} ${level}` : kind;
  const about = `${block} ${what}${style === null || kind === "heading" ? "" : ` (${style})`}:`;
  if (rows === null) return `${about} ${oneLine(text)}`.trimEnd();
  const shown = rows.map((row, index) => `  row ${index + 1}: ${row.map(oneLine).join(" | ")}`);
  return [about, ...shown].join("\n");
}

/** In what an edit expects, white space counts once. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
