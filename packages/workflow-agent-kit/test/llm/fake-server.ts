import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: {
    readonly model: string;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string;
      readonly tool_call_id?: string;
    }[];
    readonly response_format?: unknown;
    readonly tools?: unknown;
  };
};

/** What the server does with one request. */
export type Move =
  | {
      readonly kind: "json";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: "text"; readonly status: number; readonly body: string; readonly type: string }
  | { readonly kind: "hang" }
  /** Sends this now, and `again` every 10 ms for ever. */
  | { readonly kind: "drip"; readonly body: string; readonly again: string }
  | { readonly kind: "drop" };

export type FakeServer = {
  readonly baseUrl: string;
  readonly received: Received[];
  readonly close: () => Promise<void>;
};

/** A chat completion with this content. */
export function says(content: unknown, more: Record<string, unknown> = {}): Move {
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop", ...more };
  const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
  return {
    kind: "json",
    status: 200,
    body: { id: "1", object: "chat.completion", choices: [choice], usage },
  };
}

export function calls(hash: string): Move {
  const call = {
    id: "c1",
    type: "function",
    function: { name: "cas_get", arguments: JSON.stringify({ hash }) },
  };
  return says(null, {
    message: { role: "assistant", content: null, tool_calls: [call] },
    finish_reason: "tool_calls",
  });
}

export function fails(status: number, error: unknown, headers: Record<string, string> = {}): Move {
  return { kind: "json", status, body: { error }, headers };
}

/** A server on the loopback that makes its moves in order; the last one repeats. */
export async function startServer(moves: readonly Move[]): Promise<FakeServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const move = moves[Math.min(received.length, moves.length - 1)];
      const { authorization } = request.headers;
      received.push({
        path: request.url ?? "",
        authorization: authorization ?? null,
        body: JSON.parse(text),
      });
      if (move !== undefined) make(move, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function make(move: Move, response: ServerResponse): void {
  if (move.kind === "hang") return;
  if (move.kind === "drop") {
    response.destroy();
    return;
  }
  if (move.kind === "drip") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(move.body || " ");
    const timer = setInterval(() => response.write(move.again), 10);
    response.on("close", () => clearInterval(timer));
    return;
  }
  const type = move.kind === "json" ? "application/json" : move.type;
  const more = move.kind === "json" ? (move.headers ?? {}) : {};
  response.writeHead(move.status, { "content-type": type, ...more });
  response.end(move.kind === "json" ? JSON.stringify(move.body) : move.body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
