import { createAgent } from "@uncaged/workflow-agent-kit";

/** The least that an agent can be: it looks at nothing and has its output ready. */
export function main(): void {
  // No two outputs are the same, as no two steps are: every node is new and has to be written.
  const note = `run ${process.pid} at ${Date.now()}`;
  const work = Number(process.env.UWF_BENCH_WORK_MS ?? 0);
  const output = { kind: "output", value: { ok: true, note } } as const;
  const done = (): Promise<typeof output> => new Promise((resolve) => setTimeout(resolve, work, output));
  void createAgent({ name: "uwf-bench", run: work === 0 ? async () => output : done })();
}
