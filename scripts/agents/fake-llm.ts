import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as gemini from "./fake-gemini.js";
import { type Asked, type Move, USAGE } from "./move.js";

// A chat endpoint on 127.0.0.1 that plays a script, OpenAI-compatible or as Gemini has it: what real agents talk to here.

export type FakeLlm = {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Every request that had tools, failed ones too: the task, not the title that opencode asks for first. */
  readonly asked: readonly Asked[];
  /** Moves that were not asked for. */
  readonly left: () => number;
  readonly close: () => Promise<void>;
};

export async function startFakeLlm(script: readonly Move[]): Promise<FakeLlm> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (gemini.isAsked(request)) {
        if (!gemini.isTask(body)) return gemini.play({ kind: "says", text: "A title" }, response);
        return gemini.play(script[asked.push(gemini.messagesOf(body)) - 1] ?? EXHAUSTED, response);
      }
      const ended = answer(request, body, response);
      if (!ended) play(script[asked.push(messagesOf(body)) - 1] ?? EXHAUSTED, asked.length, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    left: () => Math.max(0, script.length - asked.length),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** No agent tries again after this. */
const EXHAUSTED: Move = { kind: "fails", status: 401 };

type Body = {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
};

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Body;
  } catch {
    return {};
  }
}

/** Requests that are not the task: other addresses, and completions without tools (a title, a summary). */
function answer({ method, url }: IncomingMessage, body: Body, response: ServerResponse): boolean {
  if (method !== "POST" || !(url ?? "").endsWith("/chat/completions")) {
    response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"not found"}}');
    return true;
  }
  if ((body.tools ?? []).length > 0) return false;
  play({ kind: "says", text: "A title" }, 0, response);
  return true;
}

function messagesOf({ messages }: Body): Asked {
  return (messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts: readonly unknown[] = content;
  return parts.map((part) => (part as { readonly text?: string }).text ?? "").join("");
}

function play(move: Move, call: number, response: ServerResponse): void {
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
