import { dirname } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import { quietly, readFile, removeBoth, writeAnew } from "./files.js";
import { forecastFile, forecastText } from "./forecast.js";
import type { CachePlace, Forecast } from "./types.js";

/** Of args, perhaps: config.yaml is for its owner only, too. */
const MODE = 0o600;

/** Keeps it for the next step, or, with `null`, keeps nothing any more. */
export function keepForecast(storage: CachePlace, forecast: Forecast | null): void {
  const file = forecastFile(storage);
  quietly(() => {
    if (isLink(dirname(file))) return;
    if (forecast === null) removeBoth(file);
    else keepText(file, Buffer.from(forecastText(forecast), "utf8"));
  });
}

function keepText(file: string, text: Buffer): void {
  const there = quietly(() => readFile(file));
  if (there === null || !there.equals(text)) writeAnew(file, text, MODE);
}
