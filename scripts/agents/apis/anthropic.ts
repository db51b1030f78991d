import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, type Move, USAGE } from "../move.js";

// The part of Anthropic's API that Claude Code needs: `POST …/v1/messages`, as a stream.

export function isAsked({ method, url }: IncomingMessage): boolean {
  return method === "POST" && /\/messages(?:\?|$)/.test(url ?? "");
}

type Block = { readonly text?: string; readonly content?: unknown };

type Body = {
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly unknown[];
};

/** Requests without tools are its own: a title, whether the subject is a new one. */
export function isTask(body: object): boolean {
  return ((body as Body).tools ?? []).length > 0;
}

export function messagesOf(body: object): Asked {
  return ((body as Body).messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }));
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((block: Block) => block.text ?? textOf(block.content)).join("");
}

export function play(move: Move, call: number, response: ServerResponse): void {
  if (move.kind === "fails") {
    const error = { type: "error", error: { type: "api_error", message: `fake ${move.status}` } };
    response.writeHead(move.status, { "content-type": "application/json" }).end(JSON.stringify(error));
    return;
  }
  const cached = USAGE.prompt_tokens_details.cached_tokens;
  const input = { input_tokens: USAGE.prompt_tokens - cached, cache_read_input_tokens: cached };
  const message = { id: `msg_${call}`, type: "message", role: "assistant", model: "fake-model", content: [] };
  const [block, delta, reason] =
    move.kind === "says"
      ? [{ type: "text", text: "" }, { type: "text_delta", text: move.text }, "end_turn"]
      : [
          { type: "tool_use", id: `toolu_${call}`, name: move.tool, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(move.arguments) },
          "tool_use",
        ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of [
    { type: "message_start", message: { ...message, usage: { ...input, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: USAGE.completion_tokens },
    },
    { type: "message_stop" },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
