import { createAgent } from "@uncaged/workflow-agent-kit";

// The least that an agent can be: it looks at nothing and has its output ready.
void createAgent({ name: "uwf-bench", run: async () => ({ kind: "output", value: { ok: true } }) })();
