export { forecastFile, forecastText, parseForecast } from "./forecast.js";
export { forgetHistory } from "./forget.js";
export { keepSteps } from "./keep.js";
export { keepForecast } from "./keep-forecast.js";
export { knownPast } from "./past.js";
export type {
  CachedStorage,
  CachePlace,
  Forecast,
  Kept,
  KnownPast,
  SeenStep,
  WholeHistory,
} from "./types.js";
export { wholeHistory } from "./whole.js";
