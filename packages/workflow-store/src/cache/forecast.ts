import type { CachePlace, Forecast } from "./types.js";

// <cache>/agent.json   what the last step has run, where that did not depend on its role
//
// uwf starts it before it has read anything else (cli-workflow, src/ahead), and believes nothing of it: what the step
// needs in the end is compared with it, word for word. No import here: this is loaded before the rest of uwf.

/** Also of what uwf and a waiting launcher say to each other: the forecast is that the two understand each other. */
const VERSION = 1;

export function forecastFile({ paths }: CachePlace): string {
  return `${paths.cache}/agent.json`;
}

export function forecastText({ asked, command, launcher, ...rest }: Forecast): string {
  const { args, passed, resume, keyNames } = rest;
  const { size, modified } = launcher;
  return `${JSON.stringify(["uwf-agent", VERSION, asked, command, size, modified, args, passed, resume, keyNames])}\n`;
}

/** `null` for a text that is no forecast, or is one of another version. */
export function parseForecast(text: string): Forecast | null {
  const [name, version, asked, command, size, modified, args, passed, resume, keyNames] = listIn(text);
  if (name !== "uwf-agent" || version !== VERSION || typeof resume !== "boolean") return null;
  if (typeof command !== "string" || typeof size !== "number" || typeof modified !== "number") return null;
  if ((typeof asked !== "string" && asked !== null) || !isTexts(args) || !isTexts(keyNames)) return null;
  if (passed !== null && !isTexts(passed)) return null;
  return { asked, command, launcher: { size, modified }, args, passed, resume, keyNames };
}

function listIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
