import { isObject } from "@uncaged/workflow-agent-kit";
/** One line of the agent's stdout, after the gate. */
export type Message =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: RpcError }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields }
  /** Not a protocol message: a log line. */
  | { readonly kind: "noise" };

/** An id chosen by the other side, returned unchanged. */
export type RequestId = string | number | null;

export type RpcError = {
  readonly code: number;
  readonly message: string;
  /** Extra data as JSON; `null`: none. */
  readonly data: string | null;
};

/** An unchecked JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

// Gate: everything that an agent sends is checked here.

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The objects in a list; none if it is not a list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A finite number that is not negative. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as text for people: text unchanged, others as JSON, `undefined` and `null` as "". */
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

// Do not try to parse a line that does not begin like an object.
function asJson(line: string): unknown {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
