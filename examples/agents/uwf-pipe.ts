#!/usr/bin/env node
// An agent around any program that reads a prompt on stdin and writes its answer to stdout:
//   uwf thread step <thread> --agent "examples/agents/uwf-pipe.ts ollama run llama3.1"
// Runs as it stands on Node.js 22.18 and newer, and on bun.
import { execFileSync } from "node:child_process";
import { createAgent } from "@uncaged/workflow-agent-kit";

await createAgent({
  name: "uwf-pipe",
  version: "1.0.0",
  run: ({ prompt, args: [program = "cat", ...words] }) => {
    const text = execFileSync(program, words, {
      input: prompt,
      encoding: "utf8",
      maxBuffer: 16 * 1024 * 1024,
    });
    return { kind: "text", text };
  },
})();
