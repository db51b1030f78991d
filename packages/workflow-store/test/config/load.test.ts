import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemLine } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig, loadDotEnv } from "../../src/config/index.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-config-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function load(text: string) {
  writeFileSync(join(root, "config.yaml"), text);
  return loadConfig({ root });
}

async function refusals(text: string): Promise<readonly string[]> {
  const result = await load(text);
  if (result.ok) return [];
  if (result.error.code !== "INVALID_CONFIG") return [result.error.code];
  return result.error.problems.map((problem) => problemLine(problem, "f"));
}

async function warnings(text: string): Promise<readonly string[]> {
  const result = await load(text);
  return result.ok ? result.value.warnings.map((problem) => problemLine(problem, "f")) : ["refused"];
}

const AGENTS = "agents: {hermes: {command: uwf-hermes}}\n";

const FULL = `providers: { openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: OPENROUTER_API_KEY } }
models:    { sonnet: { provider: openrouter, name: anthropic/claude-sonnet-4 } }
agents:
  hermes: { command: uwf-hermes, args: [] }
  cursor:
    command: uwf-cursor
    args: [--fast]
    timeoutSeconds: 600
    idleSeconds: 0.5
    retries: 0
    resume: true
    env: [SSH_AUTH_SOCK]
defaultAgent: hermes
agentOverrides: { solve-issue: { developer: cursor } }
defaultModel: sonnet
modelOverrides: { extract: sonnet }
`;

describe("loadConfig", () => {
  it("returns null without a file, and an empty configuration for an empty file", async () => {
    expect(await loadConfig({ root })).toMatchObject({ ok: true, value: { config: null, warnings: [] } });
    const empty = {
      providers: {},
      models: {},
      agents: {},
      agentOverrides: {},
      modelOverrides: {},
      notify: null,
      maxDepth: null,
      limits: {},
    };
    const config = { ...empty, defaultAgent: null, defaultModel: null };
    expect(await load("# nothing yet\n")).toMatchObject({ ok: true, value: { config } });
  });

  it("fills in what is absent with null", async () => {
    const limits = { timeoutSeconds: null, idleSeconds: null, retries: null };
    const none = { ...limits, resume: null, env: null, sandbox: null };
    const set = { timeoutSeconds: 600, idleSeconds: 0.5, retries: 0, resume: true, env: ["SSH_AUTH_SOCK"] };
    const cursor = { ...none, ...set };
    const result = await load(FULL);
    expect(result.ok && result.value).toEqual({
      file: join(root, "config.yaml"),
      warnings: [],
      at: expect.any(Function),
      config: {
        providers: {
          openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: "OPENROUTER_API_KEY" },
        },
        models: { sonnet: { provider: "openrouter", name: "anthropic/claude-sonnet-4" } },
        agents: {
          hermes: { command: "uwf-hermes", args: [], ...none },
          cursor: { command: "uwf-cursor", args: ["--fast"], ...cursor },
        },
        defaultAgent: "hermes",
        agentOverrides: { "solve-issue": { developer: "cursor" } },
        defaultModel: "sonnet",
        modelOverrides: { extract: "sonnet" },
        notify: null,
        maxDepth: null,
        limits: {},
      },
    });
    const places = result.ok ? result.value.at("agentOverrides", "solve-issue", "developer") : null;
    expect(FULL.split("\n")[(places?.line ?? 0) - 1]).toContain("developer");
  });

  it("takes null for every section and every optional value", async () => {
    const sections = ["providers", "models", "agents", "agentOverrides", "modelOverrides"];
    const names = ["defaultAgent", "defaultModel"];
    expect(await refusals([...sections, ...names].map((key) => `${key}: null\n`).join(""))).toEqual([]);
    const agent = "{command: a, args: null, timeoutSeconds: null, retries: null, env: null}";
    expect(await refusals(`agents: {a: ${agent}}\nagentOverrides: {w: null}\n`)).toEqual([]);
    expect(
      await refusals("providers: {ollama: {baseUrl: 'http://localhost:1/v1', apiKeyEnv: null}}\n"),
    ).toEqual([]);
  });

  it("finds aliases like constructor only where they were written", async () => {
    const result = await load("agents: {__proto__: {command: a}}\n");
    const agents = result.ok ? result.value.config?.agents : undefined;
    expect(agents?.constructor).toBeUndefined();
    expect(Object.keys(agents ?? {})).toEqual(["__proto__"]);
    expect(await refusals("defaultAgent: constructor\n")).toHaveLength(1);
  });

  it.each<[string, string, readonly string[]]>([
    ["a list", "- a\n", ["f:1:1: the document must be a map, found a list"]],
    [
      "args that are a text",
      "agents: {a: {command: a, args: --x y}}\n",
      ['f:1:32: args must be a list of texts, found the text "--x y"; write it as a list: [--x y]'],
    ],
    [
      "a number among args",
      "agents: {a: {command: a, args: [1]}}\n",
      ["f:1:33: args[0] must be text, found the number 1; quote it"],
    ],
    ["a tab", "agents:\n\ta: {command: a}\n", ["f:2:1: a tab cannot indent YAML, use spaces"]],
    ["an agent without command", "agents: {a: {}}\n", ['f:1:10: missing key "command" in a']],
    ["an empty command", "agents: {a: {command: ' '}}\n", ["f:1:23: command must not be empty"]],
    [
      "a misspelt command",
      "agents: {a: {comand: x}}\n",
      ['f:1:14: unknown key "comand", did you mean "command"?'],
    ],
    ["an agent that is a text", "agents: {a: uwf-a}\n", ['f:1:13: a must be a map, found the text "uwf-a"']],
    [
      "an unknown default agent",
      `${AGENTS}defaultAgent: herms\n`,
      ['f:2:15: there is no agent "herms" in agents, did you mean "hermes"?'],
    ],
    [
      "an unknown agent of a role",
      `${AGENTS}agentOverrides:\n  w:\n    dev: cursor\n`,
      ['f:4:10: there is no agent "cursor" in agents'],
    ],
    [
      "overrides that are a text",
      "agentOverrides: {w: hermes}\n",
      ['f:1:21: w must be a map, found the text "hermes"'],
    ],
    [
      "a model of an unknown provider",
      "models: {m: {provider: p, name: n}}\n",
      ['f:1:24: there is no provider "p" in providers'],
    ],
    [
      "a model without name",
      "providers: {p: {baseUrl: 'http://x'}}\nmodels: {m: {provider: p}}\n",
      ['f:2:10: missing key "name" in m'],
    ],
    ["an unknown default model", "defaultModel: m\n", ['f:1:15: there is no model "m" in models']],
    [
      "an unknown model for a purpose",
      "modelOverrides: {extract: m}\n",
      ['f:1:27: there is no model "m" in models'],
    ],
    [
      "a base URL without scheme",
      "providers: {p: {baseUrl: api.example.com/v1}}\n",
      ['f:1:26: baseUrl must be an http or https URL, found the text "api.example.com/v1"'],
    ],
    [
      "a base URL that is a file",
      "providers: {p: {baseUrl: 'file:///etc'}}\n",
      ['f:1:26: baseUrl must be an http or https URL, found the text "file:///etc"'],
    ],
    ...["https://me:sesame-1234@x.org/v1", "https://me@x.org/v1", "https://x.org/v1?key=sesame-1234"].map(
      (url): [string, string, readonly string[]] => [
        `a key in a base URL, ${url}`,
        `providers: {p: {baseUrl: '${url}'}}\n`,
        [
          "f:1:26: baseUrl must have no name, password or query: a key belongs in .env, in the variable that apiKeyEnv names",
        ],
      ],
    ),
    [
      "a negative limit",
      "agents: {a: {command: a, timeoutSeconds: -1}}\n",
      ["f:1:42: timeoutSeconds must be a number of seconds above 0, found the number -1"],
    ],
    [
      "no time at all",
      "agents: {a: {command: a, idleSeconds: 0}}\n",
      ["f:1:39: idleSeconds must be a number of seconds above 0, found the number 0"],
    ],
    [
      "half a retry",
      "agents: {a: {command: a, retries: 0.5}}\n",
      ["f:1:35: retries must be a whole number, 0 or more, found the number 0.5"],
    ],
    [
      "resume as text",
      "agents: {a: {command: a, resume: yes}}\n",
      ['f:1:34: resume must be true or false, found the text "yes"'],
    ],
    [
      "another kind of sandbox",
      "agents: {a: {command: a, sandbox: docker}}\n",
      ['f:1:35: the only kind of sandbox is bwrap, found the text "docker"'],
    ],
    [
      "a sandbox of no kind, with a relative path",
      "agents: {a: {command: a, sandbox: {writable: [x]}}}\n",
      [
        'f:1:26: missing key "kind" in sandbox',
        'f:1:47: the text "x" is neither an absolute path nor one from ~/',
      ],
    ],
    [
      "env with an assignment",
      "agents: {a: {command: a, env: [A=1]}}\n",
      ['f:1:32: the text "A=1" is not the name of an environment variable'],
    ],
  ])("refuses %s", async (_what, text, expected) => {
    expect(await refusals(text)).toEqual(expected);
  });

  it("reads `sandbox: bwrap` as one with a network, and its long form unchanged", async () => {
    const agents =
      "agents: {a: {command: a, sandbox: bwrap}, b: {command: b, sandbox: {kind: bwrap, network: false, writable: [~/x]}}}\n";
    const loaded = await load(agents);
    expect(loaded.ok && loaded.value.config?.agents).toMatchObject({
      a: { sandbox: { kind: "bwrap", network: true, writable: [] } },
      b: { sandbox: { kind: "bwrap", network: false, writable: ["~/x"] } },
    });
  });

  it("never shows a key that was written where its variable's name belongs", async () => {
    const key = "sk-or-v1-0123456789";
    const text = `providers: {p: {baseUrl: 'http://x', apiKeyEnv: ${key}, apiKey: ${key}}}\n`;
    expect(await refusals(text)).toEqual([
      "f:1:49: apiKeyEnv must be the name of an environment variable; the key itself belongs in .env",
    ]);
    expect(JSON.stringify(await load(text))).not.toContain(key);
  });

  it("reports all problems at once, in the order of the text", async () => {
    const lines = await refusals("defaultAgent: a\nmodels: {m: {provider: p, name: 1}}\nagents: 3\n");
    expect(lines.map((line) => line.slice(0, 6))).toEqual(["f:1:15", "f:2:24", "f:2:33", "f:3:9:"]);
  });

  it("warns about unknown keys on every level, and about options in a command", async () => {
    expect(await warnings("defaultAgnt: a\nagents: {a: {command: uwf-a --x, timeout: 3}}\n")).toEqual([
      'f:1:1: unknown key "defaultAgnt", did you mean "defaultAgent"?',
      "f:2:14: command is one program and never split; its options belong in args",
      expect.stringContaining('f:2:34: unknown key "timeout"'),
    ]);
  });

  it("refuses a file over 1 MiB unread, a directory, and bytes that are no text", async () => {
    expect(await refusals(`# ${"x".repeat(1024 * 1024)}`)).toEqual(["TOO_LARGE"]);
    writeFileSync(join(root, "config.yaml"), Buffer.from([0x61, 0xff, 0xfe]));
    expect(await loadConfig({ root })).toMatchObject({ error: { code: "INVALID_INPUT" } });
    rmSync(join(root, "config.yaml"));
    mkdirSync(join(root, "config.yaml"));
    expect(await loadConfig({ root })).toMatchObject({ error: { reason: "it is a folder" } });
  });
});

describe("loadDotEnv", () => {
  it("returns the variables, none without a file", async () => {
    const file = join(root, ".env");
    expect(await loadDotEnv({ root })).toEqual({ ok: true, value: { file, variables: {}, warning: null } });
    writeFileSync(file, "\ufeffA_KEY='x#y'\r\n# comment\r\nexport B=2\r\n", { mode: 0o600 });
    const variables = { A_KEY: "x#y", B: "2" };
    expect(await loadDotEnv({ root })).toEqual({ ok: true, value: { file, variables, warning: null } });
  });

  it.each([0o644, 0o640, 0o660, 0o604])(
    "warns about mode %o, and reads the file all the same",
    async (mode) => {
      writeFileSync(join(root, ".env"), "A=1\n");
      chmodSync(join(root, ".env"), mode);
      const result = await loadDotEnv({ root });
      expect(result.ok && result.value.variables).toEqual({ A: "1" });
      expect(result.ok && result.value.warning).toContain(`mode 0${mode.toString(8)}`);
    },
  );
});
