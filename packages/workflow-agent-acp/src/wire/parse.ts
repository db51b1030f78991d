import { fieldsOf, isFields, shown } from "./fields.js";
import type { Fields, Message, RequestId } from "./types.js";

const NOISE: Message = { kind: "noise" };

/** Reads one line; never throws. */
export function parseMessage(line: string): Message {
  const value = asJson(line);
  if (!isFields(value)) return NOISE;
  if (typeof value.method === "string") return call(value.method, value);
  if (typeof value.id !== "number") return NOISE;
  if (isFields(value.error)) return { kind: "error", id: value.id, error: errorOf(value.error) };
  return "result" in value ? { kind: "result", id: value.id, value: value.result } : NOISE;
}

function call(method: string, value: Fields): Message {
  const params = fieldsOf(value.params);
  return isId(value.id)
    ? { kind: "request", id: value.id, method, params }
    : { kind: "notification", method, params };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "number" || typeof id === "string" || id === null;
}

function errorOf({ code, message, data }: Fields) {
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "no message",
    data: data === undefined || data === null ? null : shown(data),
  };
}

// A line that does not begin like an object is spared the attempt.
function asJson(line: string): unknown {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
