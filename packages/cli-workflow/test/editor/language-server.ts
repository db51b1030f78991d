import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const SERVER = resolve(
  import.meta.dirname,
  "../../../../node_modules/yaml-language-server/bin/yaml-language-server",
);

// biome-ignore lint/suspicious/noExplicitAny: messages of a protocol that is not ours
type Message = any;

/** A YAML language server as editors start it: a process that speaks JSON-RPC on its standard streams. */
export type LanguageServer = {
  /** What is wrong with a file of the folder, as `line:column message`. */
  readonly diagnose: (text: string) => Promise<readonly string[]>;
  /** What can be written at a place. Lines and columns count from 1. */
  readonly complete: (text: string, line: number, column: number) => Promise<readonly string[]>;
  readonly hover: (text: string, line: number, column: number) => Promise<string>;
  readonly stop: () => void;
};

/** No schema is fetched: whatever it knows, it knows from the file's own line. */
const SETTINGS = {
  yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false, url: "" } },
};

export async function startLanguageServer(folder: string): Promise<LanguageServer> {
  const child = spawn(process.execPath, [SERVER, "--stdio"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { request, notify, nextDiagnostics } = wire(child);
  await request("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {
      workspace: { configuration: true },
      textDocument: {
        completion: {},
        hover: { contentFormat: ["plaintext", "markdown"] },
        publishDiagnostics: {},
      },
    },
  });
  notify("initialized", {});
  let opened = 0;
  // Each text is a file of its own, which need not exist: what is said about one cannot be about another.
  const open = (text: string): string => {
    opened += 1;
    const uri = pathToFileURL(join(folder, `open-${opened}.yaml`)).href;
    notify("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
    return uri;
  };
  const at = (uri: string, line: number, column: number) => ({
    textDocument: { uri },
    position: { line: line - 1, character: column - 1 },
  });
  return {
    diagnose: async (text) => {
      const told = nextDiagnostics(() => uri);
      const uri = open(text);
      const { diagnostics } = await told;
      return diagnostics.map(
        ({ range: { start }, message }: Message) => `${start.line + 1}:${start.character + 1} ${message}`,
      );
    },
    complete: async (text, line, column) => {
      const found = await request("textDocument/completion", at(open(text), line, column));
      return (found?.items ?? []).map(({ label }: Message) => label);
    },
    hover: async (text, line, column) => {
      const found = await request("textDocument/hover", at(open(text), line, column));
      return JSON.stringify(found?.contents ?? "");
    },
    stop: () => {
      child.kill();
    },
  };
}

/** Requests, and notifications of the other side, over length-prefixed JSON. */
function wire(child: ChildProcess) {
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Set<(message: Message) => void>();
  let last = 0;
  let buffer = Buffer.alloc(0);
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = (message: Message): void => {
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.id === undefined) for (const listener of listeners) listener(message);
    else if (message.method === "workspace/configuration")
      send({
        id: message.id,
        result: message.params.items.map(({ section }: Message) => SETTINGS[section as "yaml"] ?? null),
      });
    else send({ id: message.id, result: null });
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, end).toString())?.[1]);
      if (end === -1 || buffer.length < end + 4 + length) return;
      const body = buffer.subarray(end + 4, end + 4 + length).toString();
      buffer = buffer.subarray(end + 4 + length);
      receive(JSON.parse(body));
    }
  });
  return {
    notify: (method: string, params: object) => send({ method, params }),
    request: (method: string, params: object): Promise<Message> => {
      last += 1;
      const id = last;
      const answered = new Promise<Message>((done, fail) => {
        waiting.set(id, ({ result, error }) =>
          error === undefined ? done(result) : fail(new Error(error.message)),
        );
      });
      send({ id, method, params });
      return answered;
    },
    /** What is said about a file after this call. */
    nextDiagnostics: (uri: () => string): Promise<Message> =>
      new Promise((done) => {
        const listener = ({ method, params }: Message): void => {
          if (method !== "textDocument/publishDiagnostics" || params.uri !== uri()) return;
          listeners.delete(listener);
          done(params);
        };
        listeners.add(listener);
      }),
  };
}
