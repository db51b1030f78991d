export { eventPrinter } from "./events.js";
export { documentPrinter, type LivePrinter, linePrinter, terminalPrinter } from "./printer.js";
export { type Look, type Watch, watchThreads } from "./watch.js";
