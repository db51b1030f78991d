import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, type Move, USAGE } from "../move.js";

// The part of OpenAI's Responses API that Codex needs: `POST …/responses`, as a stream.

export function isAsked({ method, url }: IncomingMessage): boolean {
  return method === "POST" && (url ?? "").endsWith("/responses");
}

/** It asks for nothing else here. */
export function isTask(): boolean {
  return true;
}

type Item = { readonly role?: string; readonly content?: unknown; readonly output?: unknown };

export function messagesOf(body: object): Asked {
  return ((body as { readonly input?: readonly Item[] }).input ?? []).map(({ role, content, output }) => ({
    role: role ?? "tool",
    text: textOf(content ?? output),
  }));
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("");
}

export function play(move: Move, call: number, response: ServerResponse): void {
  if (move.kind === "fails") {
    const error = { message: `fake ${move.status}`, type: "fake_error", code: null };
    response.writeHead(move.status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  const id = `resp_${call}`;
  const item =
    move.kind === "says"
      ? {
          type: "message",
          id: `msg_${call}`,
          role: "assistant",
          content: [{ type: "output_text", text: move.text }],
        }
      : {
          ...{ type: "function_call", id: `fc_${call}`, call_id: `call_${call}` },
          ...{ name: move.tool, arguments: JSON.stringify(move.arguments) },
        };
  const usage = {
    input_tokens: USAGE.prompt_tokens,
    input_tokens_details: USAGE.prompt_tokens_details,
    output_tokens: USAGE.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.total_tokens,
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of [
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, usage } },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
