import { chmodSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const CLAUDE = resolve(import.meta.dirname, "../../../workflow-agent-cli/bin/uwf-claude");

it("a run ended by its time limit is logged with the usage that its CLI has recorded", async () => {
  const box = sandbox();
  const thread = await startTurns(box);
  const usage = { input_tokens: 100, cache_read_input_tokens: 5, output_tokens: 7 };
  const line = JSON.stringify({ timestamp: "TIME", message: { id: "msg_1", role: "assistant", usage } });
  const init = JSON.stringify({ type: "system", subtype: "init", session_id: "s-1", model: "m" });
  const program = box.write(
    "bin/claude",
    `#!/bin/sh
cat > /dev/null
mkdir -p "$HOME/.claude/projects/p"
echo '${line}' | sed "s/TIME/$(date -u +%Y-%m-%dT%H:%M:%S.999Z)/" > "$HOME/.claude/projects/p/s-1.jsonl"
echo '${init}'
exec sleep 600
`,
  );
  chmodSync(program, 0o755);
  const claude = { command: CLAUDE, timeoutSeconds: 8 };
  box.write(join(box.root, "config.yaml"), JSON.stringify({ agents: { claude }, defaultAgent: "claude" }));
  const ran = await box.uwf(["thread", "step", thread], {
    env: { PATH: `${join(box.cwd, "bin")}:${process.env.PATH}` },
  });
  expect(ran.code).toBe(6);
  expect(ran.stderr.match(/error\[\w+\]/g)).toEqual(["error[AGENT_TIMEOUT]"]);
  expect(ran.stderr).not.toMatch(/interrupted/i);
  const { failed } = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
  expect(failed).toMatchObject([
    { sessionId: "s-1", usage: { inputTokens: 105, outputTokens: 7, totalTokens: 112, costUsd: null } },
  ]);
});
