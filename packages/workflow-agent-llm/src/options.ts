import { parseArgs } from "node:util";
import { err, type JsonObject, type JsonValue, ok, type Result } from "@uncaged/workflow-agent-kit";
import { lineProblem } from "@uncaged/workflow-util";

/** The parsed command line. */
export type Options = {
  /** Alias of a model; `null`: config.yaml decides. */
  readonly model: string | null;
  /** Extra members of every request. */
  readonly more: JsonObject;
  /** The whole run, in ms; `null`: no limit. */
  readonly timeoutMs: number | null;
  /** The limit on the model's silence, in ms. */
  readonly idleMs: number;
  /** The limit on the time in which the model says nothing while its server keeps the connection alive, in ms. */
  readonly wordlessMs: number;
  /** Answers with tool calls. */
  readonly maxRounds: number;
  /** Request size in characters above which the oldest tool results are cut. */
  readonly contextLimit: number;
  /** Characters of one tool result. */
  readonly outputLimit: number;
  /** Time limit of one command, in ms. */
  readonly commandMs: number;
  readonly shell: boolean;
  /** Variables passed to commands although they look like keys. */
  readonly passEnv: readonly string[];
};

/** Which of the two agents. */
export type Kind = "llm" | "react";

const REACT_HELP = `  --max-rounds <n>          answers with tool calls, 50 by default; then it must reply
  --context-limit <n>       request size in characters above which old results are cut, 400000 by default
  --output-limit <n>        characters of a tool result, 30000 by default
  --shell-timeout <seconds> time limit for one command, 600 by default
  --no-shell                no shell_exec: nothing outside the working folder is accessed
  --pass-env <NAME>         pass a variable to commands although it looks like a key; repeatable
`;

export function usageOf(kind: Kind): string {
  return `usage: uwf-${kind} [options] <thread-id> <role>, or uwf-${kind} --check [options]; see uwf-${kind} --help`;
}

export function helpOf(kind: Kind): string {
  const what =
    kind === "llm"
      ? "One chat completion of a model in config.yaml, without tools."
      : "A model of config.yaml that works in the current folder with read_file, write_file, patch_file, shell_exec and\ncas_get until it replies.";
  return `Usage: uwf-${kind} [options] <thread-id> <role>
       uwf-${kind} --check [options]

${what}

  uwf thread step <thread-id> --agent uwf-${kind}
  uwf thread step <thread-id> --agent "uwf-${kind} --model sonnet --param max_tokens=8000"

Options:
  --model <alias>           a model of config.yaml; else modelOverrides.<role>, modelOverrides.<workflow>, defaultModel
  --param <name=value>      add a member to every request, with a JSON or text value; repeatable
  --timeout <seconds>       time limit for the run; none by default
  --idle <seconds>          limit on the model's silence, at most 300; 240 by default
  --think <seconds>         limit on the time without a word while the server sends keep-alives; 600 by default
${kind === "llm" ? "" : REACT_HELP}  --check                   only check whether model and key are configured; sends no request
  --version
`;
}

const OF_BOTH = {
  model: { type: "string" },
  param: { type: "string", multiple: true },
  timeout: { type: "string" },
  idle: { type: "string" },
  think: { type: "string" },
} as const;

const OF_REACT = {
  ...OF_BOTH,
  "max-rounds": { type: "string" },
  "context-limit": { type: "string" },
  "output-limit": { type: "string" },
  "shell-timeout": { type: "string" },
  "no-shell": { type: "boolean" },
  "pass-env": { type: "string", multiple: true },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OF_REACT }>>["values"];

/** Parses the agent's own arguments; the error is a sentence without a full stop. */
export function parseOptions(args: readonly string[], kind: Kind): Result<Options, string> {
  try {
    const options = kind === "llm" ? OF_BOTH : OF_REACT;
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return ok(optionsOf(values));
  } catch (error) {
    return err(lineProblem(error, Object.keys(kind === "llm" ? OF_BOTH : OF_REACT)));
  }
}

function optionsOf(values: Values): Options {
  const timeout = values.timeout === undefined ? null : count("timeout", values.timeout, LONGEST_S);
  return {
    model: values.model ?? null,
    more: Object.fromEntries((values.param ?? []).map(memberOf)),
    timeoutMs: timeout === null ? null : timeout * 1000,
    // Node.js itself drops a server that is silent for five minutes.
    idleMs: count("idle", values.idle ?? "240", 300) * 1000,
    wordlessMs: count("think", values.think ?? "600", LONGEST_S) * 1000,
    maxRounds: count("max-rounds", values["max-rounds"] ?? "50", 10_000),
    contextLimit: count("context-limit", values["context-limit"] ?? "400000", 1_000_000_000),
    outputLimit: count("output-limit", values["output-limit"] ?? "30000", 1_000_000),
    commandMs: count("shell-timeout", values["shell-timeout"] ?? "600", LONGEST_S) * 1000,
    shell: values["no-shell"] !== true,
    passEnv: values["pass-env"] ?? [],
  };
}

/** The longest timer. */
const LONGEST_S = 2_147_483;

function count(name: string, text: string, most: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`--${name} is a whole number from 1 to ${most}, not "${text}"`);
}

/** Members that we set ourselves; overriding them would make the trace wrong. */
const OURS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "n",
]);

/** `max_tokens=4096`: the value is JSON, or else text. */
function memberOf(param: string): readonly [string, JsonValue] {
  const [, name = "", value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(param) ?? [];
  if (name === "") throw new Error(`--param is name=value, not "${param}"`);
  if (OURS.has(name)) throw new Error(`--param cannot set ${name}`);
  return [name, jsonOr(value)];
}

function jsonOr(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
