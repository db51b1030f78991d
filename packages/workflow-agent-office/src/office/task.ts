import { err, isObject, type JsonValue, ok, parseJson, type Result } from "@uncaged/json-cas";
import type { Fault } from "@uncaged/workflow-agent-kit";
import type { Task } from "./types.js";

const FORM = '{"prompt": "Make it shorter", "inputDocx": "report.docx"}';

/** The thread's prompt: a JSON object, or a text that asks for a new document. A text that begins with `{` is no text. */
export function parseTask(prompt: string): Result<Task, Fault> {
  if (!prompt.trimStart().startsWith("{")) return ok({ prompt, inputDocx: null });
  const wrong = (reason: string): Result<never, Fault> =>
    err({ code: "INVALID_INPUT", what: "the thread's prompt", reason, hint: `start a thread with ${FORM}` });
  const given = jsonOf(prompt);
  if (!given.ok) return wrong(`it begins with { and is no JSON: ${given.error}`);
  if (!isObject(given.value)) return wrong("it is no JSON object");
  const { prompt: wanted, inputDocx = null, ...more } = given.value;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    return wrong(`it has a field ${JSON.stringify(unknown)}, which means nothing here`);
  if (typeof wanted !== "string" || wanted.trim() === "") return wrong("its field prompt is not a text");
  if (inputDocx === null) return ok({ prompt: wanted, inputDocx });
  if (typeof inputDocx !== "string" || inputDocx === "")
    return wrong("its field inputDocx is neither a path, nor a hash, nor null");
  return ok({ prompt: wanted, inputDocx });
}

function jsonOf(text: string): Result<JsonValue, string> {
  try {
    return ok(parseJson(text));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}
