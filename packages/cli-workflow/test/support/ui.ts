import type { ChildProcess } from "node:child_process";
import { type IncomingMessage, request } from "node:http";
import { reap, type Sandbox, until } from "./uwf.js";

/** A running `uwf ui`. */
export type Ui = {
  readonly process: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
};

export async function startUi(
  box: Pick<Sandbox, "start">,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ui> {
  const child = reap(box.start(["ui", ...options], { env }));
  let complaints = "";
  child.stderr?.on("data", (piece: Buffer) => {
    complaints += piece;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (piece: Buffer) => {
      text += piece;
      if (text.includes("\n")) resolve(text);
    });
    void ended.then((code) => reject(new Error(`uwf ui exited with ${code} before it was ready`)));
  });
  const { url } = JSON.parse(line) as { readonly url: string };
  const { port, hash } = new URL(url);
  return {
    ...{ process: child, url, port: Number(port), token: hash.replace("#token=", "") },
    stderr: () => complaints,
    ended,
  };
}

type Asked = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type Answered = {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage["headers"];
};

/** A request with the headers that the page would send, unless others are given; an empty one is left out. */
export function asked(
  { port, token }: Ui,
  { path, method = "GET", headers = {}, body }: Asked,
): Promise<Answered> {
  const own = {
    Host: `127.0.0.1:${port}`,
    Origin: `http://127.0.0.1:${port}`,
    Authorization: `Bearer ${token}`,
  };
  const sent = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== "");
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: "127.0.0.1", port, path, method, headers: Object.fromEntries(sent) },
      (response) => {
        let text = "";
        response.on("data", (piece: Buffer) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    asking.on("error", reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export type Live = {
  /** Waits for a line with this in it. */
  readonly heard: (words: string) => Promise<void>;
  readonly close: () => void;
};

/** What a page does to know what happens. */
export function openLive({ port, token }: Ui): Promise<Live> {
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path: "/api/live", headers }, (response) => {
      response.on("error", () => {});
      let text = "";
      response.on("data", (piece: Buffer) => {
        text += piece;
      });
      resolve({
        heard: (words) => until(`a line with ${words}`, () => text.includes(words)),
        close: () => asking.destroy(),
      });
    });
    asking.on("error", reject);
    asking.end();
  });
}
