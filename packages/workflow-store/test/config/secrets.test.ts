import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyNames, readProjectEnv, secretsIn } from "../../src/config/index.js";
import type { WorkflowConfig } from "../../src/index.js";
import { bad, good } from "../support/index.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-secrets-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const names = (variables: Readonly<Record<string, string>>): readonly string[] =>
  secretsIn({ variables, project: {}, env: {}, names: [] }).map(({ name }) => name);

describe("a variable of .env", () => {
  it.each([
    ["OPENAI_API_KEY", "sk-0123456789"],
    ["ANYTHING", "correct horse"],
    ["ANYTHING", "12345678"],
    ["DATABASE", "postgres://me:pass@host/db"],
    ["WEBHOOK", "https://host/hook?token=x"],
    ["WEBHOOK", "https://me:pass@host/"],
    ["AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG"],
    ["DB_PASSWORD", "elephant"],
    ["ANYTHING", "sixteencharacter"],
    ["AUTH_URL", "https://host/T000/B000"],
  ])("is a secret: %s=%s", (name, value) => {
    expect(names({ [name]: value })).toEqual([name]);
  });

  it.each([
    ["SHORT", "1234567"],
    ["SHORT_TOKEN", "1234567"],
    ["NODE_ENV", "production"],
    ["BLANK", "          "],
    ["BASE_URL", "https://api.host/v1"],
    ["HERMES_HOME", "/home/me/.hermes"],
    ["CACHE", "~/cache/of/something"],
  ])("is none: %s=%s", (name, value) => {
    expect(names({ [name]: value })).toEqual([]);
  });
});

describe("a variable that a provider names", () => {
  it("is a secret in the environment and in .env, whatever it looks like", () => {
    const found = secretsIn({
      variables: { A: "/path/in/env-file" },
      project: {},
      env: { A: "https://in.environment", B: "not-named" },
      names: ["A"],
    });
    expect(found).toEqual([
      { name: "A", value: "https://in.environment" },
      { name: "A", value: "/path/in/env-file" },
    ]);
  });

  it("is named once however many providers name it", () => {
    const provider = (apiKeyEnv: string | null) => ({ baseUrl: "http://x", apiKeyEnv });
    const config = { providers: { a: provider("K"), b: provider("K"), c: provider(null) } };
    expect(keyNames(config as unknown as WorkflowConfig, {})).toEqual(["K"]);
    expect(keyNames(null, {})).toEqual([]);
  });
});

describe("a variable of the environment", () => {
  it.each([
    ["ANTHROPIC_API_KEY", "sk-ant-01234"],
    ["GITHUB_TOKEN", "short"],
    ["NPM_TOKEN", "npm_0123456789"],
    ["client_secret", "correct-horse"],
    ["DB_PASSWORD", "elephants-in-a-row"],
    ["PGPASSWORD", "elephants-in-a-row"],
    ["OPENAI_APIKEY", "sk-0123456789"],
    ["TOKEN", "0123456789ab"],
    ["AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG"],
  ])("is a key by its name: %s=%s", (name, value) => {
    expect(keyNames(null, { [name]: value })).toEqual([name]);
  });

  it.each([
    ["NPM_TOKEN", "0123456789a"],
    ["NPM_TOKEN", "             "],
    ["SSH_KEY", import.meta.filename],
    ["MONKEY", "0123456789ab"],
    ["TOKEN_URL", "https://host/oauth/token"],
    ["KEYBOARD_LAYOUT", "0123456789ab"],
    ["UWF_STEP_KEY", "01KAJ5E8000000000000000000-0A1B2C3D4E5F6"],
  ])("is none: %s=%s", (name, value) => {
    expect(keyNames(null, { [name]: value })).toEqual([]);
  });
});

describe("the .env of the working folder", () => {
  const keysOf = (text: string | Buffer): readonly string[] => {
    writeFileSync(join(root, ".env"), text);
    const project = good(readProjectEnv(root));
    return secretsIn({ variables: {}, project, env: {}, names: [] }).map(({ value }) => value);
  };

  it.each([
    ["API_KEY=sk-0123456789", "sk-0123456789"],
    ['export DB_PASSWORD = "correct horse" # of staging', "correct horse"],
    ["DB_PASS=elephants", "elephants"],
    ["DATABASE_URL=postgres://app:elephants@db/app", "postgres://app:elephants@db/app"],
    ["SENTRY=8f3a9c2e7b1d4e6f", "8f3a9c2e7b1d4e6f"],
    ["WEBHOOK=https://host/hook?token=x", "https://host/hook?token=x"],
    ["X_KEY='-----BEGIN\nmulti-line-0123'", "-----BEGIN\nmulti-line-0123"],
  ])("holds a key: %s", (text, value) => {
    expect(keysOf(text)).toEqual([value]);
  });

  it("is a fault that names it where it holds more keys than can be looked for in every text", () => {
    const lines = (count: number, length: number): string =>
      Array.from({ length: count }, (_, at) => `V${at}_KEY=${`${at}-`.padEnd(length, "x")}`).join("\n");
    expect(keysOf(lines(256, 128))).toHaveLength(256);
    for (const [text, words] of [
      [lines(257, 20), "it holds 257 values that may be keys, of 5140 characters"],
      [lines(1, 32 * 1024 + 1), "it holds 1 values that may be keys, of 32769 characters"],
    ] as const) {
      writeFileSync(join(root, ".env"), text);
      expect(bad(readProjectEnv(root))).toMatchObject({
        code: "INVALID_INPUT",
        what: join(root, ".env"),
        reason: expect.stringContaining(words),
      });
    }
    writeFileSync(join(root, ".env"), `# ${"-".repeat(1024 * 1024)}`);
    expect(bad(readProjectEnv(root))).toMatchObject({ code: "TOO_LARGE", what: join(root, ".env") });
  });

  it("is read in other encodings as well", () => {
    expect(keysOf(Buffer.from("# clé\nAPI_KEY=sk-0123456789\n", "latin1"))).toEqual(["sk-0123456789"]);
  });

  it.each([
    "APP_NAME=my-shop-backend",
    "DB_HOST=localhost:5432",
    "DATABASE_URL=postgres://localhost:5432/shop_dev",
    "AUTHOR=Kim Example",
    "NEXTAUTH_URL=http://localhost:3000",
    "NODE_OPTIONS=--max-old-space-size=4096",
    "TZ=Europe/Berlin",
    "LANG=en_US.UTF-8",
    "MAIL_FROM=support@example.com",
    "ALLOWED_HOSTS=localhost,127.0.0.1",
    `TLS_KEY=${import.meta.filename}`,
    "SHORT_KEY=1234567",
  ])("holds a setting: %s", (text) => {
    expect(keysOf(text)).toEqual([]);
  });

  it("may be missing, or a folder", () => {
    expect(readProjectEnv(root)).toEqual({ ok: true, value: {} });
    expect(readProjectEnv(null)).toEqual({ ok: true, value: {} });
    mkdirSync(join(root, ".env"));
    expect(readProjectEnv(root)).toEqual({ ok: true, value: {} });
  });
});
