import { isObject } from "@uncaged/workflow-agent-kit";
/** One line of the agent's stdout, after the gate. */
export type Message =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: RpcError }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields }
  /** Not of this protocol: a line of a log. */
  | { readonly kind: "noise" };

/** An id that the other side chose; it gets it back as it is. */
export type RequestId = string | number | null;

export type RpcError = {
  readonly code: number;
  readonly message: string;
  /** What the agent adds, as JSON; `null` when it adds nothing. */
  readonly data: string | null;
};

/** A JSON object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

// Gate: what an agent says is unknown until it has passed here.

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The objects of a list; nothing where it is none. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A finite number that is not negative. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as a text for people: texts as they are, others as JSON, nothing as "". */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const NOISE: Message = { kind: "noise" };

/** Reads one line; never throws. */
export function parseMessage(line: string): Message {
  const value = asJson(line);
  if (!isObject(value)) return NOISE;
  if (typeof value.method === "string") return call(value.method, value);
  if (typeof value.id !== "number") return NOISE;
  if (isObject(value.error)) return { kind: "error", id: value.id, error: errorOf(value.error) };
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
