export { docxTool } from "./main.js";
