import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, type Move, USAGE } from "../move.js";

// What calls itself OpenAI-compatible: `POST …/chat/completions`, as a stream.

export function isAsked({ method, url }: IncomingMessage): boolean {
  return method === "POST" && (url ?? "").endsWith("/chat/completions");
}

type Body = {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
};

/** Requests without tools are its own: a title, a summary. */
export function isTask(body: object): boolean {
  return ((body as Body).tools ?? []).length > 0;
}

export function messagesOf(body: object): Asked {
  return ((body as Body).messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts: readonly unknown[] = content;
  return parts.map((part) => (part as { readonly text?: string }).text ?? "").join("");
}

export function play(move: Move, call: number, response: ServerResponse): void {
  if (move.kind === "fails") {
    const error = { message: `fake ${move.status}`, type: "fake_error", code: null, param: null };
    response.writeHead(move.status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunksOf(move, call)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function chunksOf(move: Exclude<Move, { readonly kind: "fails" }>, call: number): readonly unknown[] {
  const chunk = (choices: readonly unknown[], more: object = {}): unknown => ({
    id: `chatcmpl-${call}`,
    object: "chat.completion.chunk",
    created: 0,
    model: "fake-model",
    choices,
    ...more,
  });
  const delta = (said: object): unknown => chunk([{ index: 0, delta: said, finish_reason: null }]);
  const finish = (reason: string): readonly unknown[] => [
    chunk([{ index: 0, delta: {}, finish_reason: reason }]),
    chunk([], { usage: USAGE }),
  ];
  if (move.kind === "says") return [delta({ role: "assistant", content: move.text }), ...finish("stop")];
  const called = { name: move.tool, arguments: JSON.stringify(move.arguments) };
  const tool = { index: 0, id: `call_${call}`, type: "function", function: called };
  return [delta({ role: "assistant", content: null, tool_calls: [tool] }), ...finish("tool_calls")];
}
