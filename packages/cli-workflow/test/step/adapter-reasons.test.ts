import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const PACKAGES = resolve(import.meta.dirname, "../../..");
const CAPTURED = join(PACKAGES, "workflow-agent-cli/test/fixtures");
const SHORT = { UWF_BACKOFF_SECONDS: "0.01" };

/** The real adapter over a program of our own that prints what the real one printed. */
function playing(box: Sandbox, name: string, said: { readonly stdout: string; readonly code: number }) {
  mkdirSync(join(box.cwd, "fake"), { recursive: true });
  box.write("fake/stdout", said.stdout);
  const program = box.write(
    `fake/${name}`,
    `#!/bin/sh\ncat > /dev/null\ncat "$(dirname "$0")/stdout"\nexit ${said.code}\n`,
  );
  chmodSync(program, 0o755);
  return { agent: join(PACKAGES, `workflow-agent-cli/bin/uwf-${name}`), path: dirname(program) };
}

const captured = (name: string) => readFileSync(join(CAPTURED, name), "utf8");
const asJson = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1) ?? "");

describe("a failure of a real adapter", () => {
  it.each([
    ["claude", captured("claude/fail401.out"), 1, "claude` and /login"],
    ["opencode", captured("opencode/fail401.out"), 1, "opencode auth login"],
    ["pi", captured("pi/fail401.out"), 0, "pi` and /login"],
  ] as const)(
    "%s without a login is one auth error with its hint, and not retried",
    async (name, stdout, code, hint) => {
      const box = sandbox();
      const thread = await startTurns(box);
      const { agent, path } = playing(box, name, { stdout, code });
      const env = { ...SHORT, PATH: `${path}:${process.env.PATH}` };
      const command = ["thread", "step", thread, "--retries", "2", "--agent", agent];
      const ran = await box.uwf(command, { env });
      expect(ran.code).toBe(6);
      expect(ran.stderr.match(/error\[/g)).toHaveLength(1);
      expect(ran.stderr).toContain(hint);
      expect(logLines(box)).toMatchObject([{ reason: "auth" }]);
      const { lastFailure } = await box.json<Record<string, unknown>>(["thread", "show", thread]);
      expect(lastFailure).toMatchObject({ reason: "auth" });
      const again = await box.uwf([...command, "--error-format", "json"], { env });
      expect(asJson(again.stderr)).toMatchObject({ retryable: false, data: { reason: "auth" } });
    },
  );

  it("opencode's Retry-After ends with 75 and the time", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const data = { message: "slow", statusCode: 429, responseHeaders: { "retry-after": "3600" } };
    const stdout = `${JSON.stringify({ type: "error", sessionID: "s", error: { name: "APIError", data } })}\n`;
    const { agent, path } = playing(box, "opencode", { stdout, code: 1 });
    const env = { ...SHORT, PATH: `${path}:${process.env.PATH}` };
    const ran = await box.uwf(["thread", "step", thread, "--agent", agent, "--error-format", "json"], {
      env,
    });
    expect(ran.code).toBe(75);
    expect(asJson(ran.stderr)).toMatchObject({ data: { reason: "rate-limit", retryAfter: 3600 } });
  });

  it("uwf-llm without its key is one auth error, and not retried", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    box.write(
      join(box.root, "config.yaml"),
      JSON.stringify({
        providers: { local: { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "A_KEY_NOBODY_SET" } },
        models: { default: { provider: "local", name: "m" } },
        defaultModel: "default",
      }),
    );
    const agent = join(PACKAGES, "workflow-agent-llm/bin/uwf-llm");
    const command = ["thread", "step", thread, "--retries", "2", "--agent", agent];
    const ran = await box.uwf(command, { env: SHORT });
    expect(ran.stderr.match(/error\[/g)).toHaveLength(1);
    expect(ran.stderr).toContain("A_KEY_NOBODY_SET");
    expect(logLines(box)).toMatchObject([{ reason: "auth" }]);
    const again = await box.uwf([...command, "--error-format", "json"], { env: SHORT });
    expect(asJson(again.stderr)).toMatchObject({ retryable: false, data: { reason: "auth" } });
  });
});
