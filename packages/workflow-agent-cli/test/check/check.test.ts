import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claude, codex, cursor, gemini, type LoginContext, opencode, pi } from "../../src/index.js";
import { check, isReady } from "../../src/main.js";
import { makeCli } from "../helpers.js";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-check-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function place(files: Readonly<Record<string, string>>, env: LoginContext["env"] = {}): LoginContext {
  return { env, home: "/h", platform: "linux", read: (path) => files[path] ?? null };
}

describe("--check", () => {
  it("says that a CLI is installed, its version, and how it is logged in", async () => {
    const { bin } = makeCli(root, "claude", [{ stdout: "2.1.197 (Claude Code)\n", stderr: "", code: 0 }]);
    const env = { PATH: `${bin}:/usr/bin:/bin`, ANTHROPIC_API_KEY: "x" };
    const report = await check(claude, place({}, env), root);
    expect(report).toEqual({
      agent: "uwf-claude",
      program: "claude",
      installed: true,
      path: join(bin, "claude"),
      version: "2.1.197 (Claude Code)",
      loggedIn: true,
      how: "ANTHROPIC_API_KEY",
    });
    expect(isReady(report)).toBe(true);
  });

  it("finds a version on stderr, where pi tells it", async () => {
    const { bin } = makeCli(root, "pi", [{ stdout: "", stderr: "0.73.1\n", code: 0 }]);
    const { version } = await check(pi, place({}, { PATH: `${bin}:/usr/bin:/bin` }), root);
    expect(version).toBe("0.73.1");
  });

  it("finds Cursor's CLI under both of its names, the unmistakable one first", async () => {
    const { bin } = makeCli(root, "agent", [{ stdout: "2026.11.01\n", stderr: "", code: 0 }]);
    const found = async () => (await check(cursor, place({}, { PATH: `${bin}:/usr/bin:/bin` }), root)).path;
    expect(await found()).toBe(join(bin, "agent"));
    copyFileSync(join(bin, "agent"), join(bin, "cursor-agent"));
    expect(await found()).toBe(join(bin, "cursor-agent"));
  });

  it("is not ready when the CLI is not there, or does not run", async () => {
    const gone = await check(codex, place({}, { PATH: "/nonexistent", OPENAI_API_KEY: "x" }), root);
    expect(gone).toMatchObject({ installed: false, path: null, version: null, loggedIn: null });
    const { bin } = makeCli(root, "codex", [{ stdout: "", stderr: "broken 1.0\n", code: 1 }]);
    const broken = await check(codex, place({}, { PATH: `${bin}:/usr/bin:/bin`, OPENAI_API_KEY: "x" }), root);
    expect(broken).toMatchObject({ installed: true, version: null });
    expect([isReady(gone), isReady(broken)]).toEqual([false, false]);
  });
});

describe("who is logged in", () => {
  it("is known from variables and from files of the CLIs", () => {
    const yes = [
      claude.login(place({ "/h/.claude/.credentials.json": '{"claudeAiOauth":{}}' })),
      claude.login(place({ "/h/.claude/settings.json": '{\n"apiKeyHelper":"x"}' })),
      claude.login(place({ "/c/.credentials.json": "{1}" }, { CLAUDE_CONFIG_DIR: "/c" })),
      codex.login(place({ "/h/.codex/auth.json": '{"tokens":{}}' })),
      codex.login(place({}, { CODEX_API_KEY: "x" })),
      pi.login(place({ "/h/.pi/agent/models.json": '{"providers":{}}' })),
      opencode.login(place({ "/d/opencode/auth.json": '{"a":1}' }, { XDG_DATA_HOME: "/d" })),
      cursor.login(place({ "/h/.cursor/cli-config.json": '{"authInfo":{"email":"a"}}' })),
      gemini.login(place({ "/h/.gemini/oauth_creds.json": '{"a":1}' })),
    ];
    expect(yes.map(({ state }) => state)).toEqual(yes.map(() => "yes"));
  });

  it("is nobody if there is neither", () => {
    const nobody = [claude, codex, pi, gemini].map(({ login }) =>
      login(place({ "/h/.pi/agent/auth.json": "{}" })),
    );
    expect(nobody.map(({ state }) => state)).toEqual(["no", "no", "no", "no"]);
  });

  it("is unknown for CLIs that keep it elsewhere, or need no login", () => {
    const unknown = [
      claude.login({ ...place({}), platform: "darwin" }),
      codex.login(place({ "/h/.codex/config.toml": 'model_provider = "mine"\n' })),
      opencode.login(place({})),
      cursor.login(place({ "/h/.cursor/cli-config.json": "{}" })),
    ];
    expect(unknown.map(({ state }) => state)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
  });
});
