import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Adapter,
  claude,
  codex,
  gemini,
  opencode,
  pi,
  type TriedVersion,
} from "../../packages/workflow-agent-cli/src/index.js";
import type { Move } from "./fake-llm.js";

/** One real agent under one of our agents. */
export type Subject = {
  readonly name: string;
  readonly program: TriedVersion;
  /** `packages/<package>/bin/<command>`. */
  readonly agent: { readonly package: string; readonly command: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string>>;
  /** Files of its home that make the program talk to the fake server at this address. */
  readonly files: (baseUrl: string) => Readonly<Record<string, string | object>>;
  /** A call of the tool that runs a command of the shell. */
  readonly shell: (command: string) => Move;
  /** How many answers with 500 in a row end the program, and with it the step; `null`: it gets over one by itself. */
  readonly givesUpAfter: number | null;
  /** Whether it tells tokens of the whole run. */
  readonly tellsUsage: boolean;
};

export function configure({ files }: Subject, home: string, baseUrl: string): void {
  for (const [name, content] of Object.entries(files(baseUrl))) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

type Own = Pick<Subject, "env" | "files" | "shell"> & { readonly args: readonly string[] };

/** The version that the adapter says it was tried with, under the agent of its name. It tries again by itself after a 500. */
function underAdapter({ name, tried }: Adapter, { args, ...own }: Own): Subject {
  if (tried === null) throw new Error(`the adapter of ${name} names no version that could be installed`);
  const agent = { package: "workflow-agent-cli", command: `uwf-${name}`, args };
  const usual = { givesUpAfter: null, tellsUsage: true };
  return { name: `${name} through uwf-${name}`, program: tried, agent, ...usual, ...own };
}

const calls =
  (tool: string, more: object = {}) =>
  (command: string): Move => ({ kind: "calls", tool, arguments: { command, ...more } });

const DESCRIBED = { description: "Runs it" };

const underOpencode = underAdapter(opencode, {
  args: [],
  env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  files: (baseURL) => {
    const model = "fake/fake-model";
    const fake = {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL, apiKey: "x" },
      models: { "fake-model": { name: "Fake", limit: { context: 131_072, output: 4096 } } },
    };
    const config = { autoupdate: false, share: "disabled", model, small_model: model, provider: { fake } };
    return { ".config/opencode/opencode.json": config };
  },
  shell: calls("bash", DESCRIBED),
});

/** The real agents, each under one of ours. */
export const SUBJECTS: readonly Subject[] = [
  // opencode over the Agent Client Protocol, which tells tokens of the last call only. It asks before it runs anything: a rule
  // has to answer, or nothing runs.
  {
    ...underOpencode,
    name: "opencode through uwf-acp",
    agent: {
      package: "workflow-agent-acp",
      command: "uwf-acp",
      args: ["--allow", "execute", "--", "opencode", "acp"],
    },
    env: { ...underOpencode.env, OPENCODE_PERMISSION: JSON.stringify({ bash: "ask", edit: "ask" }) },
    tellsUsage: false,
  },
  underAdapter(claude, {
    args: ["--model", "fake-model"],
    env: { ANTHROPIC_API_KEY: "x" },
    files: (baseUrl) => {
      const address = { ANTHROPIC_BASE_URL: new URL(baseUrl).origin };
      const env = { ...address, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
      return { ".claude/settings.json": { env } };
    },
    shell: calls("Bash", DESCRIBED),
  }),
  // It counts over its session.
  underAdapter(codex, {
    args: [],
    env: { CODEX_API_KEY: "x" },
    files: (baseUrl) => ({
      ".codex/config.toml": `model = "gpt-5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${baseUrl}"
wire_api = "responses"
env_key = "CODEX_API_KEY"
request_max_retries = 2
stream_max_retries = 2
`,
    }),
    shell: (command) => ({ kind: "calls", tool: "exec_command", arguments: { cmd: command } }),
  }),
  underAdapter(gemini, {
    args: ["-m", "gemini-2.5-flash"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_API_KEY: "x" },
    files: (baseUrl) => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        // At its start it deletes, in the background, each session that it cannot read. It may meet one half written.
        general: {
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
          sessionRetention: { enabled: false },
        },
        telemetry: { enabled: false },
      },
      ".gemini/.env": `GOOGLE_GEMINI_BASE_URL=${new URL(baseUrl).origin}\n`,
    }),
    shell: calls("run_shell_command", DESCRIBED),
  }),
  underOpencode,
  // It is told not to try again, which leaves the two retries of its HTTP client: then the step fails, though pi exits with 0,
  // and is done again.
  {
    ...underAdapter(pi, {
      args: ["--provider", "fake", "--model", "fake-model"],
      env: { PI_OFFLINE: "1" },
      files: (baseUrl) => {
        const fake = { baseUrl, api: "openai-completions", apiKey: "x", models: [{ id: "fake-model" }] };
        return {
          ".pi/agent/models.json": { providers: { fake } },
          ".pi/agent/settings.json": { retry: { enabled: false } },
        };
      },
      shell: calls("bash"),
    }),
    givesUpAfter: 3,
  },
];
