import { createAgent, type SessionFacts } from "@uncaged/workflow-agent-kit";

/** The least that an agent can be: it looks at nothing and has its output ready. */
export function main(): void {
  // No two outputs are the same, as no two steps are: every node is new and has to be written.
  const note = `run ${process.pid} at ${Date.now()}`;
  const work = Number(process.env.UWF_BENCH_WORK_MS ?? 0);
  const turns = Number(process.env.UWF_BENCH_TURNS ?? 0);
  const output = { kind: "output", value: { ok: true, note } } as const;
  const reply = turns === 0 ? output : { ...output, session: sessionOf(turns, note) };
  const done = (): Promise<typeof reply> => new Promise((resolve) => setTimeout(resolve, work, reply));
  void createAgent({ name: "uwf-bench", run: work === 0 ? async () => reply : done })();
}

/** A trace: in each turn a model says something and calls a tool, 3 KB in six nodes. */
function sessionOf(turns: number, note: string): Partial<SessionFacts> {
  const text = (words: string, turn: number): string => `${words} ${turn} of ${note}. `.repeat(12);
  return {
    sessionId: note,
    turns: Array.from({ length: turns }, (_, turn) => ({
      input: text("Asked in turn", turn),
      output: text("Said in turn", turn),
      toolCalls: [
        {
          name: "read",
          arguments: text("Read", turn),
          result: text("Found in turn", turn),
          durationMs: turn,
        },
      ],
      tokens: null,
      latencyMs: turn,
    })),
  };
}
