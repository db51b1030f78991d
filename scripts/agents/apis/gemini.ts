import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, type Move, USAGE } from "../move.js";

// The part of Gemini's API that its CLI needs: `POST …/models/<model>:streamGenerateContent` and `:generateContent`.

export function isAsked({ method, url }: IncomingMessage): boolean {
  return method === "POST" && /:(?:streamG|g)enerateContent\b/.test(url ?? "");
}

type Part = { readonly text?: string; readonly functionResponse?: { readonly response?: unknown } };

type Body = {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly unknown[];
};

/** Requests without tools are its own: which model to take, who speaks next. */
export function isTask(body: object): boolean {
  return ((body as Body).tools ?? []).length > 0;
}

export function messagesOf(body: object): Asked {
  return ((body as Body).contents ?? []).map(({ role, parts }) => ({
    role: role === "model" ? "assistant" : "user",
    text: (parts ?? [])
      .map(({ text, functionResponse }) => text ?? JSON.stringify(functionResponse ?? ""))
      .join(""),
  }));
}

export function play(move: Move, _call: number, response: ServerResponse): void {
  if (move.kind === "fails") {
    const error = { code: move.status, message: `fake ${move.status}`, status: "INTERNAL" };
    response.writeHead(move.status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  const part =
    move.kind === "says" ? { text: move.text } : { functionCall: { name: move.tool, args: move.arguments } };
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: USAGE.prompt_tokens,
      candidatesTokenCount: USAGE.completion_tokens,
      totalTokenCount: USAGE.total_tokens,
      cachedContentTokenCount: USAGE.prompt_tokens_details.cached_tokens,
    },
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`data: ${JSON.stringify(answer)}\r\n\r\n`);
}
