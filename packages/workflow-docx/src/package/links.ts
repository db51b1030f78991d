import { refuse } from "../fault.js";

const HARMLESS = new Set(["http", "https", "mailto", "tel", "sms", "ftp", "ftps"]);
const SCRIPTS = new Set(["javascript", "vbscript", "data", "jscript", "livescript"]);

/** Refuses a link that would do more than lead a reader to the web or to mail. */
export function assertLink(target: string, part: string): void {
  // A reader skips white space and control characters inside of an address.
  const address = target.replace(/[\0-\x20\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202e\ufeff]/g, "");
  const [, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(address) ?? [];
  if (scheme === undefined) {
    if (/^(\/|\\)/.test(address)) refuse("DOCX_LINK_FILE", { part, target });
    return;
  }
  const lower = scheme.toLowerCase();
  if (SCRIPTS.has(lower)) refuse("DOCX_LINK_SCRIPT", { part, target });
  // One letter is a drive.
  if (lower === "file" || lower.length === 1) refuse("DOCX_LINK_FILE", { part, target });
  if (!HARMLESS.has(lower)) refuse("DOCX_LINK_SCHEME", { part, target });
}
