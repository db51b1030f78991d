#!/usr/bin/env node
// An agent that asks a model of config.yaml. `complete` streams, retries after 429, 5xx and broken connections, redacts what it
// sends and gets, and ends a server that is silent for `idleMs` or sends no piece of the answer for `wordlessMs`.
import { createAgent, openModel } from "@uncaged/workflow-agent-kit";

await createAgent({
  name: "uwf-ask",
  run: async ({ prompt, env, signal, heartbeat }) => {
    const place = { env, cwd: process.cwd(), home: process.env.HOME ?? null };
    const model = await openModel(place, { alias: null, overrides: [] });
    if (!model.ok) return { kind: "failed", fault: model.error };
    const answer = await model.value.complete({
      messages: [{ role: "user", content: prompt }],
      tools: [],
      toolChoice: null,
      more: {},
      timeoutMs: 600_000,
      idleMs: 120_000,
      wordlessMs: 300_000,
      signal,
      onActivity: heartbeat,
    });
    if (!answer.ok) throw new Error(answer.error.reason);
    const { text, tokens, unfinished } = answer.value;
    if (unfinished !== null) throw new Error(unfinished);
    const turns = [{ input: prompt, output: text, toolCalls: [], tokens, latencyMs: null }];
    return { kind: "text", text, session: { model: model.value.name, turns } };
  },
})();
