import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowConfig } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyNames, loadSecrets, secretsIn } from "../../src/config/index.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-secrets-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const names = (variables: Readonly<Record<string, string>>): readonly string[] =>
  secretsIn(variables, {}, []).map(({ name }) => name);

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
    const found = secretsIn({ A: "/path/in/env-file" }, { A: "https://in.environment", B: "not-named" }, [
      "A",
    ]);
    expect(found).toEqual([
      { name: "A", value: "https://in.environment" },
      { name: "A", value: "/path/in/env-file" },
    ]);
  });

  it("is named once however many providers name it", () => {
    const provider = (apiKeyEnv: string | null) => ({ baseUrl: "http://x", apiKeyEnv });
    const config = { providers: { a: provider("K"), b: provider("K"), c: provider(null) } };
    expect(keyNames(config as unknown as WorkflowConfig)).toEqual(["K"]);
    expect(keyNames(null)).toEqual([]);
  });
});

describe("the secrets of a storage root", () => {
  it("are read from its .env, and are none without one", async () => {
    expect(await loadSecrets({ root }, {}, [])).toEqual({ ok: true, value: [] });
    writeFileSync(join(root, ".env"), "# keys\nA_KEY='sk-0123456789'\n");
    expect(await loadSecrets({ root }, {}, [])).toEqual({
      ok: true,
      value: [{ name: "A_KEY", value: "sk-0123456789" }],
    });
  });

  it("are not taken for none when .env cannot be read", async () => {
    mkdirSync(join(root, ".env"));
    expect((await loadSecrets({ root }, {}, [])).ok).toBe(false);
  });
});
