import { createAgent } from "@uncaged/workflow-agent-kit";

/** The least that an agent can be: it looks at nothing and has its output ready. */
export function main(): void {
  // No two outputs are the same, as no two steps are: every node is new and has to be written.
  const note = `run ${process.pid} at ${Date.now()}`;
  void createAgent({
    name: "uwf-bench",
    run: async () => ({ kind: "output", value: { ok: true, note } }) as const,
  })();
}
