import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

// A server on 127.0.0.1 that plays a script in whatever API it is asked: what real agents talk to in this test.

/** What the model does when it is asked for the next time. */
export type Move =
  | { readonly kind: "says"; readonly text: string }
  | { readonly kind: "calls"; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: "fails"; readonly status: number };

/** The texts of the messages of one request, in order, with who said them. */
export type Asked = readonly { readonly role: string; readonly text: string }[];

/** What each model call costs, cached tokens in the prompt's. */
export const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 20 },
} as const;

export type FakeLlm = {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Every request about the task, failed ones too, and not those for a title, which agents send as well. */
  readonly asked: readonly Asked[];
  readonly close: () => Promise<void>;
};

/** No agent tries again after this. */
const EXHAUSTED: Move = { kind: "fails", status: 401 };

export async function startFakeLlm(script: readonly Move[]): Promise<FakeLlm> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const [, stream] =
        APIS.find(([path]) => request.method === "POST" && path.test(request.url ?? "")) ?? [];
      const isTask = body.input !== undefined || (body.tools ?? []).length > 0;
      const move: Move = isTask ? (script[asked.push(messagesIn(body)) - 1] ?? EXHAUSTED) : TITLE;
      if (stream !== undefined && move.kind !== "fails") {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(stream(move, asked.length));
        return;
      }
      const status = move.kind === "fails" && stream !== undefined ? move.status : 404;
      const error = { type: "api_error", message: `fake ${status}`, code: status, status: "INTERNAL" };
      const text = JSON.stringify({ type: "error", error });
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const TITLE: Move = { kind: "says", text: "A title" };

type Message = {
  readonly role?: string;
  readonly content?: unknown;
  readonly parts?: unknown;
  readonly output?: unknown;
};

/** Of whatever API: its list of messages has a name of its own. */
type Body = Partial<Readonly<Record<"messages" | "contents" | "input", readonly Message[]>>> & {
  readonly tools?: readonly unknown[];
};

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return {};
  }
}

function messagesIn({ messages, contents, input }: Body): Asked {
  return (messages ?? contents ?? input ?? []).map(({ role = "tool", content, parts, output }) => ({
    role: role === "model" ? "assistant" : role,
    text: textOf(content ?? parts ?? output),
  }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  type Part = { readonly text?: string; readonly content?: unknown; readonly functionResponse?: unknown };
  return content
    .map(({ text, content: inner, functionResponse }: Part) =>
      functionResponse === undefined ? (text ?? textOf(inner)) : JSON.stringify(functionResponse),
    )
    .join("");
}

type Answer = Exclude<Move, { readonly kind: "fails" }>;

/** `call` counts the requests about the task, from 1. */
type Stream = (move: Answer, call: number) => string;

const plain = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (event: { readonly type: string }): string => `event: ${event.type}\n${plain(event)}`;

/** What calls itself OpenAI-compatible. */
const chat: Stream = (move, call) => {
  const chunk = (choices: readonly unknown[], more: object = {}) =>
    plain({
      ...{ id: `chatcmpl-${call}`, object: "chat.completion.chunk", created: 0, model: "fake-model" },
      ...{ choices, ...more },
    });
  const tool = (called: Extract<Answer, { kind: "calls" }>) => ({
    ...{ index: 0, id: `call_${call}`, type: "function" },
    function: { name: called.tool, arguments: JSON.stringify(called.arguments) },
  });
  const said = move.kind === "says" ? { content: move.text } : { content: null, tool_calls: [tool(move)] };
  const reason = move.kind === "says" ? "stop" : "tool_calls";
  return [
    chunk([{ index: 0, delta: { role: "assistant", ...said }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: reason }]),
    chunk([], { usage: USAGE }),
    "data: [DONE]\n\n",
  ].join("");
};

/** What Claude Code needs of Anthropic's API. */
const anthropic: Stream = (move, call) => {
  const cached = USAGE.prompt_tokens_details.cached_tokens;
  const input = { input_tokens: USAGE.prompt_tokens - cached, cache_read_input_tokens: cached };
  const message = { id: `msg_${call}`, type: "message", role: "assistant", model: "fake-model", content: [] };
  const [content_block, delta, stop_reason] =
    move.kind === "says"
      ? [{ type: "text", text: "" }, { type: "text_delta", text: move.text }, "end_turn"]
      : [
          { type: "tool_use", id: `toolu_${call}`, name: move.tool, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(move.arguments) },
          "tool_use",
        ];
  const usage = { output_tokens: USAGE.completion_tokens };
  return [
    { type: "message_start", message: { ...message, usage: { ...input, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]
    .map(named)
    .join("");
};

/** What Codex needs of OpenAI's Responses API. */
const responses: Stream = (move, call) => {
  const id = `resp_${call}`;
  const item =
    move.kind === "says"
      ? { type: "message", role: "assistant", content: [{ type: "output_text", text: move.text }] }
      : {
          type: "function_call",
          call_id: `call_${call}`,
          name: move.tool,
          arguments: JSON.stringify(move.arguments),
        };
  const usage = {
    input_tokens: USAGE.prompt_tokens,
    input_tokens_details: USAGE.prompt_tokens_details,
    output_tokens: USAGE.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USAGE.total_tokens,
  };
  return [
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", output_index: 0, item: { ...item, id: `item_${call}` } },
    { type: "response.completed", response: { id, usage } },
  ]
    .map(named)
    .join("");
};

/** What Gemini's CLI needs of its API. */
const gemini: Stream = (move) => {
  const part =
    move.kind === "says" ? { text: move.text } : { functionCall: { name: move.tool, args: move.arguments } };
  const usageMetadata = {
    promptTokenCount: USAGE.prompt_tokens,
    candidatesTokenCount: USAGE.completion_tokens,
    totalTokenCount: USAGE.total_tokens,
    cachedContentTokenCount: USAGE.prompt_tokens_details.cached_tokens,
  };
  const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }];
  return `data: ${JSON.stringify({ candidates, usageMetadata })}\r\n\r\n`;
};

const APIS: readonly (readonly [path: RegExp, stream: Stream])[] = [
  [/\/messages(?:\?|$)/, anthropic],
  [/\/chat\/completions$/, chat],
  [/:(?:streamG|g)enerateContent\b/, gemini],
  [/\/responses$/, responses],
];
