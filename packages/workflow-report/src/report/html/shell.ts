import { createHash } from "node:crypto";
import { GRAPH_PAGE_STYLE } from "../../graph/index.js";
import { REPORT_STYLE } from "../../page-texts.js";
import { type Html, html } from "./html.js";

type Shell = {
  readonly title: string;
  readonly body: Html;
  /** The one script of the page; `null`: it has none. */
  readonly script: string | null;
  /** Whether the script may ask the server that the page comes from. */
  readonly connects: boolean;
};

const STYLE = `${REPORT_STYLE}${GRAPH_PAGE_STYLE}`;

/** An HTML file that needs nothing else; its policy allows its own style and script, by their hashes. */
export function shellHtml({ title, body, script, connects }: Shell): string {
  const scripts = script === null ? "" : ` script-src '${sumOf(script)}';`;
  const connect = connects ? " connect-src 'self';" : "";
  const policy = `default-src 'none'; style-src '${sumOf(STYLE)}';${scripts}${connect} base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${body}${script === null ? null : html`<script>${{ html: script }}</script>`}
</body>
</html>
`;
  return page.html;
}

/** As a policy names a style or a script. */
function sumOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
