import { escapeControls } from "./controls.js";
import { renderDocument } from "./document.js";
import type { Format } from "./types.js";

/** A list as text, piece by piece: for one that is larger than memory. */
export type ItemRenderer = {
  /** The next item with what stands between it and the one before. */
  readonly item: (value: unknown) => Promise<string>;
  /** What stands after the last one. */
  readonly end: () => string;
};

/** Together the pieces are what `renderDocument` makes of the whole list. */
export function listRenderer(format: Format): ItemRenderer {
  let count = 0;
  const item = async (value: unknown): Promise<string> => {
    count += 1;
    if (format === "yaml") return renderDocument([value], "yaml");
    // As far inside as it is in the list, without the brackets.
    const text = JSON.stringify([value], null, 2).slice(1, -2);
    return `${count === 1 ? "[" : ","}${escapeControls(text)}`;
  };
  const end = (): string => {
    if (count === 0) return "[]\n";
    return format === "yaml" ? "" : "\n]\n";
  };
  return { item, end };
}

/** A list without an end, each item whole as soon as it is there: one line of JSON, or one YAML document. */
export function linesRenderer(format: Format): ItemRenderer {
  const item = async (value: unknown): Promise<string> =>
    format === "yaml"
      ? `---\n${await renderDocument(value, "yaml")}`
      : `${escapeControls(JSON.stringify(value))}\n`;
  return { item, end: () => "" };
}
