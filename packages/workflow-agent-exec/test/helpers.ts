import type { JsonObject } from "@uncaged/json-cas";
import { makeHost, type TestHost } from "../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../workflow-agent-kit/test/helpers/run.js";
import type { TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";
import { exec } from "../src/agent.js";

export { addStep, makeThread, type TestThread } from "../../workflow-agent-kit/test/helpers/thread.js";

export const TESTS_META: JsonObject = {
  type: "object",
  properties: {
    ok: { type: "boolean" },
    exitCode: { type: "integer" },
    durationMs: { type: "integer", minimum: 0 },
    output: { type: "string" },
  },
  required: ["ok", "exitCode", "durationMs", "output"],
  additionalProperties: false,
};

export type Played = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Lines that went to our stderr as they came. */
  readonly shown: readonly string[];
};

/** Plays `role` with uwf-exec in this process; `args` are its own words. */
export async function play(
  made: TestThread,
  role: string,
  args: readonly string[],
  watch: (host: TestHost, line: string) => void = () => {},
): Promise<Played> {
  const host = makeHost([...args, made.thread, role], made.root, { PATH: process.env.PATH ?? "" });
  const shown: string[] = [];
  const stderr = (line: string): void => {
    shown.push(line);
    watch(host, line);
  };
  const port = { cwd: made.root, temporary: made.root, stderr };
  const code = await runAgent({ name: "uwf-exec", run: (context) => exec(context, port) }, host);
  return { code, ...host.written, shown };
}

/** Output and detail of the step that was printed. */
export function stepOf(made: TestThread, { out, err }: Played) {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}${err}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  const output = made.storage.cas.get(step.value.payload.output)?.payload as Readonly<
    Record<string, unknown>
  >;
  return { hash: step.value.hash, output, detail: detail.value };
}
