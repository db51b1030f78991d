import { quietly, readDerived, removeBoth, writeAnew } from "../files/index.js";
import { forecastText } from "./format.js";
import type { Forecast, ForecastPlace } from "./types.js";

/** Of args, perhaps: config.yaml is for its owner only, too. */
const MODE = 0o600;

/**
 * Keeps it for the next step, or, with `null`, keeps nothing any more. What the file system refuses is passed over: it
 * costs time, and nothing else.
 */
export function keepForecast({ paths }: ForecastPlace, forecast: Forecast | null): void {
  quietly(() => {
    if (forecast === null) removeBoth(paths.forecast);
    else keepText(paths.forecast, Buffer.from(forecastText(forecast), "utf8"));
  });
}

function keepText(file: string, text: Buffer): void {
  const there = quietly(() => readDerived(file));
  if (there === null || !there.equals(text)) writeAnew(file, text, MODE);
}
