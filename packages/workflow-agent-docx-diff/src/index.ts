export { docxDiff, type Port } from "./agent.js";
