import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isHash, isObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import type { Uwf } from "@uncaged/workflow-engine";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  isWorkflowName,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { uiHtml } from "@uncaged/workflow-report";
import { asThreadId } from "@uncaged/workflow-util";
import type { News } from "./live.js";
import type { Reads } from "./reads.js";

type Parts = {
  readonly reads: Reads;
  readonly news: News;
  /** Runs the ordinary uwf. */
  readonly uwf: Uwf;
  readonly token: string;
  /** Called when something that a page has started begins and ends. */
  readonly working: (by: 1 | -1) => void;
};

type UiServer = { readonly port: number; readonly close: () => Promise<void> };

/** Threads in the list, unless the page asks for more. */
const LISTED = 200;
/** Bytes of a request's body. */
const LARGEST = 4 * 1024 * 1024;

/** Serves the page and what it asks for, on 127.0.0.1 only. Port 0 is a free one. */
export async function serveUi(parts: Parts, port: number): Promise<Result<UiServer, Fault>> {
  // A bundle would load it at its start, and only uwf ui serves anything.
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => void respond(parts, request, response));
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(err(notListening(port, error))));
    server.listen(port, "127.0.0.1", () =>
      resolve(ok({ port: portOf(server), close: () => closed(server) })),
    );
  });
}

/** Why nothing is served. Each runtime has a sentence of its own for a port that is taken. */
function notListening(port: number, { code, message }: NodeJS.ErrnoException): Fault {
  const what = `--port ${port}`;
  if (code !== "EADDRINUSE") return fault("INVALID_INPUT", { what, reason: message });
  const hint = "leave out --port to listen on a free one";
  return fault("INVALID_INPUT", { what, reason: "another program listens there", hint });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function respond(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(parts, request, response);
  } catch (error) {
    if (!response.headersSent)
      answer(response, 500, { error: error instanceof Error ? error.message : String(error) });
    else response.end();
  }
}

async function route(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", headers, url = "/" } = request;
  const port = request.socket.localPort ?? 0;
  const [path = "/", query = ""] = url.split("?");
  if (path === "/" && method === "GET") {
    const refusal = refusalOfPage({ method, headers, port });
    if (refusal !== null) return answer(response, refusal.status, { error: refusal.error });
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/html; charset=utf-8" });
    response.end(uiHtml());
    return;
  }
  const refusal = refusalOf({ method, headers, port, token: parts.token });
  if (refusal !== null) return answer(response, refusal.status, { error: refusal.error });
  if (path === "/api/do" && method === "POST") return perform(parts, request, response);
  if (method !== "GET") return answer(response, 405, { error: `${method} is not known here` });
  if (path === "/api/live") return stream(parts, response);
  const [, , kind = "", id = ""] = path.split("/");
  if (path === "/api/overview") {
    const most = /^most=(\d{1,9})$/.exec(query)?.[1];
    return give(response, await parts.reads.overview(Number(most ?? LISTED)));
  }
  const thread = asThreadId(id);
  if (kind === "thread" && thread !== null) return give(response, await parts.reads.thread(thread));
  if (kind === "texts" && isHash(id)) return give(response, parts.reads.texts(id));
  if (kind === "file" && isHash(id)) return giveBytes(response, parts.reads.file(id));
  return answer(response, 404, { error: `there is nothing at ${path}` });
}

const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

function answer(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { ...HEADERS, "Content-Type": "application/json" });
  response.end(JSON.stringify(document));
}

const NOT_THERE: ReadonlySet<string> = new Set(["THREAD_NOT_FOUND", "NODE_MISSING", "WRONG_NODE_TYPE"]);

function give(response: ServerResponse, read: Result<unknown, Fault>): void {
  if (read.ok) answer(response, 200, read.value);
  else answer(response, NOT_THERE.has(read.error.code) ? 404 : 500, { error: messageOf(read.error) });
}

/** Sends a file as a download of bytes: whatever its type, the browser shows nothing of it. */
function giveBytes(response: ServerResponse, read: Result<Uint8Array, Fault>): void {
  if (!read.ok) {
    give(response, read);
    return;
  }
  const type = { "Content-Type": "application/octet-stream", "Content-Disposition": "attachment" };
  response.writeHead(200, { ...HEADERS, ...type, "Content-Length": read.value.length });
  response.end(read.value);
}

/** Lines of JSON for as long as the page is open. */
function stream({ news }: Parts, response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, "Content-Type": "application/x-ndjson" });
  const stop = news.listen((line) => response.write(line));
  response.on("close", stop);
  response.write("\n");
}

/** Checks the action that a page requests, starts it, and reports to every page how it ended. */
async function perform(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const action = body.ok ? actionOf(body.value) : body;
  if (!action.ok) return answer(response, 400, { error: action.error });
  const { on } = action.value;
  if (on !== null) {
    const head = await parts.reads.head(on.thread);
    if (!head.ok) return give(response, head);
    if (head.value !== on.head && action.value.action !== "fork")
      return answer(response, 409, { error: "the thread has moved on: look at it again" });
  }
  void run(parts, action.value);
  return answer(response, 202, { started: action.value.words.slice(0, 2).join(" ") });
}

async function run({ uwf, news, working }: Parts, { action, on, words, stdin }: Action): Promise<void> {
  working(1);
  const { code, document, fault: failure } = await uwf(words, stdin);
  working(-1);
  const made = typeof document?.thread === "string" ? asThreadId(document.thread) : null;
  const message = failure?.message ?? (code === 0 ? "" : `it exited with ${code}`);
  news.tell({ ended: { action, code, message, thread: made ?? on?.thread ?? null } });
}

async function readBody(request: IncomingMessage): Promise<Result<JsonValue, string>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > LARGEST) return err("the body is too long");
    pieces.push(piece as Buffer);
  }
  try {
    return ok(parseJson(Buffer.concat(pieces).toString("utf8")));
  } catch {
    return err("the body is not JSON");
  }
}

/** What a request is refused with before anything is read. */
type Refusal = { readonly status: 421 | 403 | 401; readonly error: string };

type Guarded = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly port: number;
  readonly token: string;
};

/**
 * A page of another site can reach 127.0.0.1, but it cannot choose the Host that its browser sends (nor after DNS
 * rebinding), it says where it comes from, and it does not know the token. The order is that of the cost of a look.
 */
export function refusalOf({ method, headers, port, token }: Guarded): Refusal | null {
  const own = `127.0.0.1:${port}`;
  if (headers.host !== own) return { status: 421, error: `this server is ${own} only` };
  const { origin } = headers;
  const isForeign = origin === undefined ? method !== "GET" : origin !== `http://${own}`;
  if (isForeign) return { status: 403, error: "requests of other pages are refused" };
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`))
    return { status: 401, error: "the token is missing or wrong: open the address that `uwf ui` printed" };
  return null;
}

/** The page itself holds nothing, and is asked for before it has the token. */
function refusalOfPage(guarded: Omit<Guarded, "token">): Refusal | null {
  const refusal = refusalOf({ ...guarded, token: "" });
  return refusal?.status === 401 ? null : refusal;
}

/** Takes as long whatever is given. */
function isSame(given: string, wanted: string): boolean {
  const sum = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(sum(given), sum(wanted));
}

/** What a page asks for, as a command line of uwf. */
type Action = {
  readonly action: string;
  /** `null`: it is about no thread that exists. */
  readonly on: { readonly thread: ThreadId; readonly head: CasRef } | null;
  readonly words: readonly string[];
  readonly stdin: string | null;
};

const PLAIN: ReadonlySet<unknown> = new Set(["step", "run", "pause", "resume", "kill"]);

/** The action in a request's body, or what is wrong with it. Every word of the command line has a form that no option has. */
function actionOf(body: JsonValue): Result<Action, string> {
  if (!isObject(body) || typeof body.action !== "string") return err("the body is no action");
  const { action } = body;
  if (action === "start") return startOf(body);
  const thread = typeof body.thread === "string" ? asThreadId(body.thread) : null;
  const { head } = body;
  if (thread === null || !isHash(head)) return err("the body names no thread and head");
  const on = { thread, head };
  if (PLAIN.has(action)) return ok({ action, on, words: ["thread", action, thread], stdin: null });
  if (action === "fork" && isHash(body.hash))
    return ok({ action, on, words: ["thread", "fork", body.hash], stdin: null });
  if (action === "answer" && body.value !== undefined && typeof body.role === "string") {
    const words = ["thread", "answer", thread, "--head", head, `--role=${body.role}`, "--file", "-"];
    return ok({ action, on, words, stdin: JSON.stringify(body.value) });
  }
  return err(`there is no such action: ${action}`);
}

function startOf({ action, workflow, prompt }: Readonly<Record<string, JsonValue>>): Result<Action, string> {
  if (typeof workflow !== "string" || !isWorkflowName(workflow)) return err("the body names no workflow");
  if (typeof prompt !== "string" || prompt.trim() === "") return err("the task is missing");
  const words = ["thread", "start", workflow, "--prompt", "-"];
  return ok({ action: String(action), on: null, words, stdin: prompt });
}
