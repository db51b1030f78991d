import { type Fields, fieldsOf, isFields, listOf, shown, textOf } from "../wire/index.js";

/** A content block as text: what has no words is named. */
export function blockText(block: Fields): string {
  if (block.type === "text") return textOf(block.text) ?? "";
  if (block.type === "resource_link") return textOf(block.uri) ?? textOf(block.name) ?? "";
  const resource = fieldsOf(block.resource);
  return textOf(resource.text) ?? textOf(resource.uri) ?? `[${textOf(block.type) ?? "something"}]`;
}

/**
 * What a tool gave back. The raw output is nearest to it; where that is an object of the agent's own, its text, then
 * the text that was shown for it, then all of it.
 */
export function resultText(content: readonly Fields[], rawOutput: unknown): string {
  const raw = typeof rawOutput === "string" ? rawOutput : textOf(fieldsOf(rawOutput).output);
  if (raw !== null) return raw;
  const parts = content.map(partText).filter((text) => text !== "");
  return parts.length > 0 ? parts.join("\n") : shown(rawOutput);
}

function partText(part: Fields): string {
  if (part.type === "content") return isFields(part.content) ? blockText(part.content) : "";
  if (part.type !== "diff") return "";
  const lines = (text: unknown, mark: string): string =>
    textOf(text)?.replace(/^/gm, mark).concat("\n") ?? "";
  return `${textOf(part.path) ?? ""}\n${lines(part.oldText, "-")}${lines(part.newText, "+")}`;
}

/** The steps of a plan, one a line. */
export function planText(entries: unknown): string {
  return listOf(entries)
    .map((entry) => `[${textOf(entry.status) ?? "pending"}] ${textOf(entry.content) ?? ""}`)
    .join("\n");
}
