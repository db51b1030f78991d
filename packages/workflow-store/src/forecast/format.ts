import { parseList } from "../json/index.js";
import type { Forecast, Stamp } from "./types.js";

// <root>/forecast.json   what the last step has run, where that did not depend on its role
//
// uwf starts it before it has read anything else (cli-workflow, src/ahead), and believes nothing of it: what the step
// needs in the end is compared with it, word for word. It lies beside config.yaml because it can do as much: whoever can
// put a file there can run commands in a step. Nothing here loads a module of the runtime: this comes before the rest of
// uwf.

/** Also of what uwf and a waiting launcher say to each other: the forecast is that the two understand each other. */
const VERSION = 2;

export function forecastText({ asked, command, launcher, config, ...rest }: Forecast): string {
  const { args, passed, resume, keyNames } = rest;
  const stamps = [listOf(launcher), config === null ? null : listOf(config)];
  return `${JSON.stringify(["uwf-forecast", VERSION, asked, command, ...stamps, args, passed, resume, keyNames])}\n`;
}

/** `null` for a text that is no forecast, or is one of another version. */
export function parseForecast(text: string): Forecast | null {
  const [name, version, asked, command, file, settings, args, passed, resume, keyNames] = parseList(text);
  if (name !== "uwf-forecast" || version !== VERSION || typeof resume !== "boolean") return null;
  const [launcher, config] = [stampIn(file), stampIn(settings)];
  if (!isPath(command) || launcher === null || (config === null && settings !== null)) return null;
  if ((typeof asked !== "string" && asked !== null) || !isTexts(args) || !isTexts(keyNames)) return null;
  if (passed !== null && !isTexts(passed)) return null;
  return { asked, command, launcher, config, args, passed, resume, keyNames };
}

function listOf({ size, modified }: Stamp): readonly number[] {
  return [size, modified];
}

function stampIn(value: unknown): Stamp | null {
  const [size, modified, ...more] = Array.isArray(value) ? value : [];
  const isStamp = typeof size === "number" && typeof modified === "number" && more.length === 0;
  return isStamp ? { size, modified } : null;
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/") && !value.includes("\0");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
