import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openModel } from "../../src/index.js";
import { says, startServer } from "../llm/fake-server.js";

const CONFIG = `providers:
  open: { baseUrl: "https://open.example/v1", apiKeyEnv: OPEN_API_KEY }
  local: { baseUrl: "http://127.0.0.1:1/v1" }
models: { big: { provider: open, name: vendor/big }, small: { provider: local, name: small-1 } }
defaultModel: big
modelOverrides: { reviewer: small }
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-model-"));
  writeFileSync(join(root, "config.yaml"), CONFIG);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (
  alias: string | null,
  overrides: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
) =>
  openModel(
    { env: { UNCAGED_WORKFLOW_STORAGE_ROOT: root, ...env }, cwd: root, home: null },
    { alias, overrides },
  );

describe("a model of config.yaml", () => {
  it("is the one asked for, else an override, else the default", async () => {
    const env = { OPEN_API_KEY: "key-of-the-environment" };
    const nameOf = async (alias: string | null, overrides: readonly string[]) => {
      const opened = await open(alias, overrides, env);
      return opened.ok ? opened.value.alias : opened.error;
    };
    expect(await nameOf("small", [])).toBe("small");
    expect(await nameOf("big", ["reviewer"])).toBe("big");
    expect(await nameOf(null, ["developer", "reviewer"])).toBe("small");
    expect(await nameOf(null, ["developer", "toString"])).toBe("big");
    expect(await nameOf("huge", [])).toMatchObject({
      code: "INVALID_INPUT",
      reason: "config.yaml has no model huge",
    });
  });

  it("has its key from .env, or the environment, and shows it nowhere", async () => {
    expect(await open(null)).toMatchObject({
      ok: false,
      error: { code: "NO_API_KEY", variable: "OPEN_API_KEY" },
    });
    writeFileSync(join(root, ".env"), "OPEN_API_KEY=key-of-dot-env\n", { mode: 0o600 });
    const opened = await open(null, [], { OPEN_API_KEY: undefined });
    if (!opened.ok) throw new Error(opened.error.code);
    expect(JSON.stringify(opened.value)).not.toContain("key-of");
    expect(opened.value).toMatchObject({
      alias: "big",
      name: "vendor/big",
      provider: "open",
      baseUrl: "https://open.example/v1",
      keyName: "OPEN_API_KEY",
    });
    expect(opened.value.conceal("a key-of-dot-env b")).toBe("a [redacted:OPEN_API_KEY] b");
    expect((await open("small")).ok).toBe(true);
  });

  it("says what it said, whatever the working folder calls a key", async () => {
    const server = await startServer([says("verdict: rejected, key-of-dot-env")]);
    const cwd = mkdtempSync(join(tmpdir(), "uwf-model-cwd-"));
    try {
      writeFileSync(join(cwd, ".env"), "API_KEY=rejected\n");
      writeFileSync(join(root, ".env"), "LOCAL_API_KEY=key-of-dot-env\n", { mode: 0o600 });
      writeFileSync(join(root, "config.yaml"), CONFIG.replace("http://127.0.0.1:1/v1", server.baseUrl));
      const place = { env: { UNCAGED_WORKFLOW_STORAGE_ROOT: root }, cwd, home: null };
      const opened = await openModel(place, { alias: "small", overrides: [] });
      if (!opened.ok) throw new Error(opened.error.code);
      const answer = await opened.value.complete({
        messages: [{ role: "user", content: "was it rejected?" }],
        tools: [],
        toolChoice: null,
        more: {},
        timeoutMs: 60_000,
        idleMs: 60_000,
        wordlessMs: 60_000,
        signal: new AbortController().signal,
        onActivity: () => {},
      });
      expect(answer).toMatchObject({ value: { text: "verdict: rejected, [redacted:LOCAL_API_KEY]" } });
      expect(JSON.stringify(server.received)).toContain("was it [redacted:API_KEY]?");
    } finally {
      await server.close();
      rmSync(cwd, { recursive: true });
    }
  });

  it("returns the variables that children may have", async () => {
    writeFileSync(join(root, ".env"), "OPEN_API_KEY=key-of-dot-env\nMODE=production\n", { mode: 0o600 });
    const opened = await open(null);
    if (!opened.ok) throw new Error(opened.error.code);
    const env = { PATH: "/bin", OPEN_API_KEY: "x", MODE: "y", OTHER: "with key-of-dot-env", GONE: undefined };
    expect(opened.value.withoutKeys(env)).toEqual({ PATH: "/bin" });
  });

  it("is missing if nothing is configured, or config.yaml is not valid", async () => {
    rmSync(join(root, "config.yaml"));
    expect(await open(null)).toMatchObject({ error: { reason: expect.stringContaining("no config.yaml") } });
    writeFileSync(join(root, "config.yaml"), "models: 7\n");
    expect(await open(null)).toMatchObject({ error: { code: "INVALID_CONFIG" } });
  });
});
