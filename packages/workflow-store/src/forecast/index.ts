export { forecastText, parseForecast } from "./format.js";
export { keepForecast } from "./keep.js";
export type { Forecast, ForecastPlace, Stamp } from "./types.js";
