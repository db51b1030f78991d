import { readFileSync } from "node:fs";
import { join } from "node:path";

// The style and the script of a page are files of their own, in page/. In bundles build:bins puts their texts here.

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, "page", name), "utf8");
}

export const REPORT_STYLE = textOf("report.css");
export const REPORT_SCRIPT = textOf("report.js");
