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
