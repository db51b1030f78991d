import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Message = {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};

export type Request = {
  readonly path: string;
  readonly authorization: string | null;
  readonly text: string;
  readonly body: {
    readonly model: string;
    readonly messages: readonly Message[];
    readonly stream?: boolean;
    readonly stream_options?: unknown;
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly tool_choice?: string;
    readonly max_tokens?: number;
  };
};

/** What the server does with one request. `pieces` are written one by one. */
export type Move = {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  readonly after?: "end" | "hang" | "drop";
};

export type FakeLlm = {
  readonly baseUrl: string;
  readonly requests: Request[];
  readonly close: () => Promise<void>;
};

/** A server on the loopback that makes its moves in order; the last one repeats. */
export async function startLlm(moves: readonly Move[]): Promise<FakeLlm> {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const move = moves[Math.min(requests.length, moves.length - 1)];
      const authorization = request.headers.authorization ?? null;
      requests.push({ path: request.url ?? "", authorization, text, body: JSON.parse(text) });
      if (move !== undefined) void make(move, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function make(move: Move, response: ServerResponse): Promise<void> {
  response.writeHead(move.status ?? 200, {
    "content-type": move.type ?? "text/event-stream",
    ...move.headers,
  });
  for (const piece of move.pieces) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (move.after === "drop") response.destroy();
  else if (move.after !== "hang") response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

export const USAGE = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };

export function event(value: unknown): string {
  return `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
}

export function chunk(
  delta: unknown,
  finish: string | null = null,
  more: Record<string, unknown> = {},
): string {
  return event({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
}

/** A stream that says `text`, as OpenAI sends it. */
export function says(text: string, finish = "stop"): Move {
  const middle = Math.ceil(text.length / 2);
  return {
    pieces: [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: text.slice(0, middle) }),
      chunk({ content: text.slice(middle) }),
      chunk({}, finish),
      event({ choices: [], usage: USAGE }),
      event("[DONE]"),
    ],
  };
}

/** A stream that calls tools, each with its arguments in pieces. */
export function calls(...wanted: readonly (readonly [string, unknown])[]): Move {
  const deltas = wanted.flatMap(([name, given], index) => {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    const middle = Math.ceil(text.length / 2);
    return [
      { index, id: `call_${index}_${name}`, type: "function", function: { name, arguments: "" } },
      { index, function: { arguments: text.slice(0, middle) } },
      { index, function: { arguments: text.slice(middle) } },
    ];
  });
  return {
    pieces: [
      chunk({ role: "assistant", content: null }),
      ...deltas.map((delta) => chunk({ tool_calls: [delta] })),
      chunk({}, "tool_calls"),
      event({ choices: [], usage: USAGE }),
      event("[DONE]"),
    ],
  };
}

export function fails(status: number, error: unknown, headers: Readonly<Record<string, string>> = {}): Move {
  return { status, type: "application/json", pieces: [JSON.stringify({ error })], headers };
}
