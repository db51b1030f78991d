import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Adapter, claude, codex, gemini, pi } from "../../src/adapters/index.js";
import { recordedUsage } from "../../src/classify.js";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "uwf-sessions-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function keep(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

function used(adapter: Adapter, sessionId: string, since = "2026-11-21T00:00:00Z", env = {}) {
  const usage = recordedUsage(adapter, { env, home, sessionId, since: Date.parse(since) });
  return usage === null ? null : [usage.inputTokens, usage.outputTokens, usage.totalTokens, usage.costUsd];
}

const captured = (name: string) =>
  readFileSync(join(import.meta.dirname, "../session-files", `${name}.jsonl`), "utf8");

const CLAUDE = "ee7cbdeb-15b9-42b1-b379-875ab96d40ed";
const GEMINI = "d159207f-f942-4152-b123-1755ef16d791";
const CODEX = "01a1fd91-eff4-7462-bb6c-f2cff4179a0e";

/** Lines of codex's rollout; the counts run on. */
function rollout(...totals: readonly (readonly [input: number, output: number])[]): string {
  return totals
    .map(([input_tokens, output_tokens]) => {
      const info = {
        total_token_usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
      };
      return `${JSON.stringify({ type: "event_msg", payload: { type: "token_count", info } })}\n`;
    })
    .join("");
}

describe("the usage of a run that was killed before it reported it", () => {
  it("claude: the messages of its session file, each with all its tokens", () => {
    keep(`.claude/projects/-home-user-project/${CLAUDE}.jsonl`, captured("claude"));
    expect(used(claude, CLAUDE)).toEqual([107, 7, 114, null]);
    expect(used(claude, CLAUDE, "2026-11-22T00:00:00Z")).toBeNull();
    expect(used(claude, GEMINI)).toBeNull();
  });

  it("claude: from the folder that CLAUDE_CONFIG_DIR names", () => {
    keep(`other/projects/p/${CLAUDE}.jsonl`, captured("claude"));
    const env = { CLAUDE_CONFIG_DIR: join(home, "other") };
    expect(used(claude, CLAUDE, undefined, env)).toEqual([107, 7, 114, null]);
  });

  it("gemini: the messages since the run began, each as it was written last", () => {
    keep(".gemini/tmp/project/chats/session-2026-11-21T10-08-d159207f.jsonl", captured("gemini"));
    expect(used(gemini, GEMINI)).toEqual([304, 21, 325, null]);
    expect(used(gemini, GEMINI, "2026-11-21T10:08:30Z")).toEqual([101, 7, 108, null]);
  });

  it("codex: the last count of its session, which portion takes the earlier visits off", () => {
    keep(
      `.codex/sessions/2026/11/21/rollout-2026-11-21T10-06-02-${CODEX}.jsonl`,
      rollout([100, 7], [203, 14]),
    );
    expect(used(codex, CODEX)).toEqual([203, 14, 217, null]);
  });

  it("is unknown if the file is missing, of another shape, or truncated", () => {
    for (const adapter of [claude, codex, gemini, pi]) expect(used(adapter, CODEX)).toBeNull();
    keep(`.codex/sessions/rollout-x-${CODEX}.jsonl`, `{"type":"event_msg"}\nnonsense\n[1]\n`);
    expect(used(codex, CODEX)).toBeNull();
    keep(`.codex/sessions/rollout-x-${CODEX}.jsonl`, `${rollout([100, 7])}{"type":"event_msg","payl`);
    expect(used(codex, CODEX)).toEqual([100, 7, 107, null]);
  });
});
