export { type ReportOptions, reportHtml } from "./page.js";
