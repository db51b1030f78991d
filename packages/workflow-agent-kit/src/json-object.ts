import { CasError, type JsonObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { err, ok, type Result } from "@uncaged/workflow-protocol";

/** The value of a JSON text; `null` where `parse` refuses it. */
export function jsonOrNull(text: string, parse = parseJson): JsonValue | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The one JSON object in a model's answer: bare, after its thoughts, or in a code fence; else a sentence. */
export function jsonObjectIn(content: string): Result<JsonObject, string> {
  const text = withoutThoughts(content).trim();
  for (const candidate of [text, fenced(text), between(text)]) {
    try {
      const value = parseJson(candidate);
      if (isObject(value)) return ok(value);
    } catch (error) {
      // It is JSON, and another reading of the answer would find only a part of it.
      if (error instanceof CasError) return err(error.message);
    }
  }
  return err("the answer holds no JSON object");
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
