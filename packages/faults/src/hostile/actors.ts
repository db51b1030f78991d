import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { RunOptions } from "../world.js";

const folder = join(import.meta.dirname, "actors");

/** `--agent` and its value: prints the content of two files. */
export const SAY = ["--agent", `'${join(folder, "say.sh")}'`] as const;

/** `--agent` and its value: an agent of the kit whose reply is in a file. */
export const AUTHOR = ["--agent", `'${join(folder, "author.mjs")}'`] as const;

export function saying(files: { readonly stdout?: string; readonly stderr?: string }, code = 0): RunOptions {
  const { stdout = "", stderr = "" } = files;
  return { env: { UWF_HOSTILE_STDOUT: stdout, UWF_HOSTILE_STDERR: stderr, UWF_HOSTILE_CODE: String(code) } };
}

/** What a model's endpoint does with one request; `body` is what was asked. */
export type Move = (response: ServerResponse, body: string, request: IncomingMessage) => void;

export type Endpoint = {
  readonly baseUrl: string;
  /** Sets the handler for later requests. */
  readonly play: (move: Move) => void;
  readonly requests: () => number;
  readonly close: () => Promise<void>;
};

/** A loopback endpoint whose behaviour the test chooses. */
export async function openEndpoint(): Promise<Endpoint> {
  let move: Move = (response) => response.end();
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    response.on("error", () => {});
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("utf8");
    });
    request.on("end", () => move(response, body, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    play: (next) => {
      move = next;
    },
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
