import type { SpendingLimits } from "./spending.js";

// config.yaml after the gate: every field is there, absence is `null`.

export type ProviderConfig = { readonly baseUrl: string; readonly apiKeyEnv: string | null };

export type ModelConfig = { readonly provider: string; readonly name: string };

/** The walls around an agent. */
export type SandboxConfig = {
  readonly kind: "bwrap";
  /** `false`: no network at all, not even this machine's own servers. */
  readonly network: boolean;
  /** What it may write beside the thread's folder and its own configuration: absolute, or from `~/`. */
  readonly writable: readonly string[];
};

export type AgentConfig = {
  /** One program, never split. */
  readonly command: string;
  readonly args: readonly string[];
  /** Wall clock limit in seconds. */
  readonly timeoutSeconds: number | null;
  /** Limit in seconds without output or heartbeat. */
  readonly idleSeconds: number | null;
  readonly retries: number | null;
  /** `false`: no session is continued on a later visit. `null` is as `true`. */
  readonly resume: boolean | null;
  /** Names of the variables passed on; `null` passes everything. PATH, HOME and uwf's variables always pass. */
  readonly env: readonly string[] | null;
  /** `null`: it runs as the user who calls uwf, without a sandbox. */
  readonly sandbox: SandboxConfig | null;
};

/** What `notify` may be called for. */
export type NotifyEvent = "answer" | "limit" | "ended" | "failed";

/** A command that gets an event as JSON on stdin: for a chat, a mail, a desktop. */
export type NotifyConfig = {
  /** One program, never split. */
  readonly command: string;
  readonly args: readonly string[];
  readonly on: readonly NotifyEvent[];
};

export type WorkflowConfig = {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly defaultAgent: string | null;
  /** Workflow name to role to agent alias. */
  readonly agentOverrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly defaultModel: string | null;
  /** Purpose (`extract`) to model alias. */
  readonly modelOverrides: Readonly<Record<string, string>>;
  /** `null`: nobody is called. */
  readonly notify: NotifyConfig | null;
  /** How deep threads may start others, one inside the other; `null`: it does not say. */
  readonly maxDepth: number | null;
  /** By workflow name; `default` is for every other one. */
  readonly limits: Readonly<Record<string, SpendingLimits>>;
};
