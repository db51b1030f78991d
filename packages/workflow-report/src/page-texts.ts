import { readFileSync } from "node:fs";
import { join } from "node:path";

// The style and the script of a page are files of their own, in page/. In bundles build:bins puts their texts here.

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, "page", name), "utf8");
}

export const REPORT_STYLE = textOf("report.css");
const SHARED = textOf("shared.js");
export const REPORT_SCRIPT = `${SHARED}${textOf("report.js")}`;
export const UI_SCRIPT = `${SHARED}${textOf("forms.js")}${textOf("ui.js")}`;
