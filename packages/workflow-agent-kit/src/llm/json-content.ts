import type { JsonObject } from "@uncaged/json-cas";
import { isObject } from "../schema/index.js";
import { parseJson } from "./reply.js";

/** The one JSON object in a model's answer: bare, behind its thoughts, or in a code fence; `null` when there is none. */
export function jsonObjectIn(content: string): JsonObject | null {
  const text = withoutThoughts(content).trim();
  return objectOf(text) ?? objectOf(fenced(text)) ?? objectOf(between(text));
}

function withoutThoughts(content: string): string {
  const end = content.lastIndexOf("</think>");
  return end === -1 ? content : content.slice(end + "</think>".length);
}

/** What stands in the fence, when there is exactly one. */
function fenced(text: string): string {
  const fences = [...text.matchAll(/^[ \t]*```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)];
  return fences.length === 1 ? (fences[0]?.[1] ?? "") : "";
}

function between(text: string): string {
  return text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
}

function objectOf(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
