export { type Collector, createCollector, plainLine } from "./collect.js";
