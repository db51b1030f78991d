import type { JsonObject } from "@uncaged/workflow-agent-kit";

/** What the command line says. */
export type Options = {
  /** Alias of a model; `null`: config.yaml decides. */
  readonly model: string | null;
  /** Members of every request. */
  readonly more: JsonObject;
  /** The whole run, in ms; `null`: no limit. */
  readonly timeoutMs: number | null;
  /** The longest silence of the model, in ms. */
  readonly idleMs: number;
  /** Answers with tool calls. */
  readonly maxRounds: number;
  /** Characters of a request, from which on the oldest results of tools are cut. */
  readonly contextLimit: number;
  /** Characters of one tool's result. */
  readonly outputLimit: number;
  /** One command, in ms. */
  readonly commandMs: number;
  readonly shell: boolean;
  /** Variables that commands get although they look like keys. */
  readonly passEnv: readonly string[];
};

export type Parsed =
  | { readonly ok: true; readonly options: Options }
  /** A sentence without its end. */
  | { readonly ok: false; readonly reason: string };

/** Which of the two agents. */
export type Kind = "llm" | "react";
