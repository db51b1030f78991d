import type { JsonValue } from "@uncaged/json-cas";
import { isList, isObject, textAt } from "./schema.js";

/** The text of a message's content: a string, or the texts of a list of parts; "" for null. */
export function contentText(content: JsonValue): string {
  if (typeof content === "string") return content;
  if (!isList(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : isObject(part) ? (textAt(part, "text") ?? "") : ""))
    .join("");
}
