import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as anthropic from "./apis/anthropic.js";
import * as chat from "./apis/chat.js";
import * as gemini from "./apis/gemini.js";
import * as responses from "./apis/responses.js";
import type { Api, Asked, Move } from "./move.js";

// A server on 127.0.0.1 that plays a script in whatever API it is asked: what real agents talk to in this test.

const APIS: readonly Api[] = [anthropic, chat, gemini, responses];

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
      const api = APIS.find(({ isAsked }) => isAsked(request));
      if (api === undefined) {
        response
          .writeHead(404, { "content-type": "application/json" })
          .end('{"error":{"message":"not found"}}');
      } else if (api.isTask(body)) {
        const move = script[asked.push(api.messagesOf(body)) - 1] ?? EXHAUSTED;
        api.play(move, asked.length, response);
      } else {
        api.play({ kind: "says", text: "A title" }, 0, response);
      }
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

async function readBody(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as object;
  } catch {
    return {};
  }
}
