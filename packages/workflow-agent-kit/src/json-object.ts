import { type JsonObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import { isObject } from "./schema.js";

export function jsonOrNull(text: string): JsonValue | null {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** The one JSON object in a model's answer: bare, after its thoughts, or in a code fence; `null` if there is none. */
export function jsonObjectIn(content: string): JsonObject | null {
  const text = withoutThoughts(content).trim();
  return objectOf(text) ?? objectOf(fenced(text)) ?? objectOf(between(text));
}

function withoutThoughts(content: string): string {
  const end = content.lastIndexOf("</think>");
  return end === -1 ? content : content.slice(end + "</think>".length);
}

/** The content of the fence, if there is exactly one. */
function fenced(text: string): string {
  const fences = [...text.matchAll(/^[ \t]*```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)];
  return fences.length === 1 ? (fences[0]?.[1] ?? "") : "";
}

function between(text: string): string {
  return text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
}

function objectOf(text: string): JsonObject | null {
  const value = jsonOrNull(text);
  return isObject(value) ? value : null;
}
