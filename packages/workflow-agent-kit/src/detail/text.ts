import { LIMITS } from "@uncaged/workflow-protocol";

/** A text as a content node can hold it: no half surrogates, and cut where a node would grow too large. */
export function storableText(text: string): string {
  const cut = text.length > LIMITS.reply / 4 && Buffer.byteLength(text) > LIMITS.reply;
  const kept = cut ? `${text.slice(0, LIMITS.reply / 4)}\n[cut off]` : text;
  return kept.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
}
