export { docxDiff, type Port } from "./agent/index.js";
