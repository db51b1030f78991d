import { escapeControls } from "./controls.js";
import type { Format } from "./types.js";

/** One document as text with a final newline. `yaml` is loaded only when it is asked for. */
export async function renderDocument(value: unknown, format: Format): Promise<string> {
  if (format === "json") return `${escapeControls(JSON.stringify(value, null, 2))}\n`;
  const { toYaml } = await import("./yaml.js");
  return toYaml(value);
}
