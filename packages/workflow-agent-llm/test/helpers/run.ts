import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentDefinition, AgentReply, Continue } from "@uncaged/workflow-agent-kit";
import { expect } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { llmAgent } from "../../src/index.js";
import type { Kind } from "../../src/options.js";
import { type FakeLlm, type Move, startLlm } from "./fake-llm.js";

export const KEY = "sk-test-0123456789abcdef";
export const GOOD = "---\napproved: true\n---\nFine.";

/** One thread, one server, one working folder. */
export type Bench = {
  readonly made: TestThread;
  readonly cwd: string;
  readonly stderr: string[];
  readonly serve: (moves: readonly Move[]) => Promise<FakeLlm>;
  readonly run: (kind: Kind, moves: readonly Move[], options?: RunOptions) => Promise<Ran>;
  /** Goes on in a session as another process would. */
  readonly resume: (
    sessionId: string,
    message: string,
    moves: readonly Move[],
  ) => Promise<Ran & { readonly reply: AgentReply | null }>;
  readonly write: (path: string, text: string) => string;
  readonly read: (path: string) => string;
  readonly remove: () => Promise<void>;
};

type Functions = {
  readonly run: AgentDefinition["run"];
  readonly continue: Continue;
};

type RunOptions = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
};

export type Ran = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: FakeLlm["requests"];
  readonly llm: FakeLlm;
};

export async function bench(): Promise<Bench> {
  const made = await makeThread({ reviewer: REVIEW_META });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "uwf-project-")));
  const servers: FakeLlm[] = [];
  const stderr: string[] = [];
  let ids = 0;
  const serve = async (moves: readonly Move[]): Promise<FakeLlm> => {
    const llm = await startLlm(moves);
    servers.push(llm);
    return llm;
  };
  const write = (path: string, text: string): string => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const hosted = async (
    kind: Kind,
    moves: readonly Move[],
    options: RunOptions,
    asAgent: (agent: Functions) => Pick<AgentDefinition, "run" | "continue">,
  ): Promise<Ran> => {
    const llm = await serve(moves);
    configure(made.root, llm.baseUrl, options.config ?? "defaultModel: small\n");
    const host = {
      ...makeHost([...(options.args ?? []), made.thread, "reviewer"], made.root, {
        PATH: process.env.PATH ?? "",
        ...options.env,
      }),
      cwd,
    };
    const port = {
      env: host.env,
      cwd,
      home: made.root,
      now: Date.now,
      newId: () => `session-${++ids}`,
      stderr: (line: string) => void stderr.push(line),
      graceMs: 200,
    };
    const code = await runAgent({ name: `uwf-${kind}`, ...asAgent(llmAgent(kind, port)) }, host);
    return { code, ...host.written, requests: llm.requests, llm };
  };
  const run: Bench["run"] = (kind, moves, options = {}) => hosted(kind, moves, options, (agent) => agent);
  const resume: Bench["resume"] = async (sessionId, message, moves) => {
    let reply: AgentReply | null = null;
    const ran = await hosted("react", moves, {}, (agent) => ({
      run: async (context) => {
        const given = await agent.continue(sessionId, message, context);
        reply = given;
        return given;
      },
    }));
    return { ...ran, reply };
  };
  return {
    made,
    cwd,
    stderr,
    serve,
    run,
    resume,
    write,
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    remove: async () => {
      for (const llm of servers) await llm.close();
      made.remove();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

export function configure(root: string, baseUrl: string, more: string): void {
  const config = `providers: { local: { baseUrl: "${baseUrl}", apiKeyEnv: LOCAL_API_KEY } }
models: { small: { provider: local, name: small-1 }, big: { provider: local, name: big-1 } }
${more}`;
  writeFileSync(join(root, "config.yaml"), config);
  writeFileSync(join(root, ".env"), `LOCAL_API_KEY=${KEY}\nOTHER=in-dot-env-file-1\n`, { mode: 0o600 });
}

type Text = { readonly text: string };
export type Detail = {
  readonly sessionId: string;
  readonly cwd: string;
  readonly model: string;
  readonly prompt: Text;
  readonly raw: Text;
  readonly usage: unknown;
  readonly turns: readonly {
    readonly input: Text;
    readonly output: Text;
    readonly tokens: unknown;
    readonly toolCalls: readonly { readonly name: string; readonly arguments: Text; readonly result: Text }[];
  }[];
};

/** The step that an agent has printed: its output and its expanded detail. */
export function stepOf({ made }: Bench, { out, err }: Pick<Ran, "out" | "err">) {
  expect(err).toBe("");
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  return {
    hash: step.value.hash,
    output: made.storage.cas.get(step.value.payload.output)?.payload,
    detail: detail.value as unknown as Detail,
  };
}

/** What the tools told the model, in order. */
export function results({ requests }: Pick<Ran, "requests">): readonly string[] {
  const last = requests.at(-1)?.body.messages ?? [];
  return last.filter(({ role }) => role === "tool").map(({ content }) => content ?? "");
}
