export { eventPrinter } from "./events.js";
export { documentPrinter, type LivePrinter, linePrinter, terminalPrinter } from "./printer.js";
export { watchThreads } from "./watch.js";
