import { err, fault } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, listThreads, readRegistry, type Storage } from "@uncaged/workflow-store";
import { text } from "./output.js";
import type { CommandContext, CommandResult } from "./types.js";

// The words of the command line; a test compares them with the real program.

/** The first word of what completion scripts ask. */
export const COMPLETE = "__complete";

/** The topics of `uwf help` with their summaries; their texts are in help/. */
export const HELP_TOPICS: readonly (readonly [name: string, summary: string])[] = [
  ["agents", "who plays a role, which agents there are, and how to write one"],
  ["conditions", "what conditions see, and how to ask the usual questions"],
  ["environment", "the variables that uwf reads, and those that an agent gets"],
  ["exit-codes", "what each exit code means, and whether a retry helps"],
  ["scenarios", "play a workflow without a model"],
  ["storage", "where everything is kept, and how to back it up, move it and clean it"],
];

export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  workflow: ["put", "show", "list", "history", "rollback", "rm"],
  thread: [
    "start",
    "fork",
    "note",
    "limit",
    "pause",
    "resume",
    "kill",
    "unlock",
    "step",
    "run",
    "answer",
    "next",
    "show",
    "list",
    "ps",
    "steps",
    "read",
    "step-details",
    "usage",
  ],
  cas: [
    "get",
    "put",
    "has",
    "refs",
    "walk",
    "list",
    "schema",
    "du",
    "reindex",
    "verify",
    "gc",
    "export",
    "import",
    "put-text",
    "file",
  ],
  completion: ["bash", "zsh", "fish"],
  help: [
    "workflow",
    "thread",
    "cas",
    "log",
    "doctor",
    "setup",
    "completion",
    ...HELP_TOPICS.map(([name]) => name),
  ],
};

export const ROOT_WORDS: readonly string[] = [
  "workflow",
  "thread",
  "cas",
  "log",
  "doctor",
  "setup",
  "completion",
  "help",
];

const THREAD_ARGUMENTS: ReadonlySet<string> = new Set(
  [
    "step",
    "run",
    "next",
    "show",
    "steps",
    "read",
    "usage",
    "kill",
    "unlock",
    "answer",
    "note",
    "limit",
    "pause",
    "resume",
  ].map((name) => `thread ${name}`),
);

const WORKFLOW_ARGUMENTS: ReadonlySet<string> = new Set([
  "workflow show",
  "workflow history",
  "workflow rollback",
  "workflow rm",
  "thread start",
]);

export const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  "workflow put": ["--strict"],
  "workflow show": ["--source"],
  "thread start": [
    "--prompt",
    "--prompt-file",
    "--cwd",
    "--key",
    "--parent",
    "--max-steps",
    "--max-cost",
    "--max-minutes",
  ],
  "thread fork": ["--workflow", "--dry-run", "--instead-of", "--cwd"],
  "thread limit": ["--max-steps", "--max-cost", "--max-minutes"],
  "thread step": ["--agent", "--wait", "--retries", "--cwd"],
  "thread run": ["--agent", "--wait", "--retries", "--cwd", "--max-steps", "--all", "--workflow", "--jobs"],
  "thread unlock": ["--force", "--index"],
  "thread note": ["--file", "--by"],
  "thread pause": ["--message"],
  "thread answer": [
    "--field",
    "--file",
    "--edit",
    "--show",
    "--head",
    "--role",
    "--by",
    "--take-over",
    "--wait",
  ],
  "thread list": ["--all", "--held", "--tree", "--workflow", "--since", "--limit", "--offset"],
  "thread usage": ["--table"],
  "thread read": ["--quota", "--before", "--start", "--detail"],
  "cas verify": ["--repair"],
  "cas gc": ["--yes", "--grace", "--accept-missing", "--root"],
  "cas put-text": ["--file"],
  "cas import": ["--from-root"],
  "cas export": ["--output", "--force"],
  log: ["--thread", "--since", "--follow", "--limit"],
  setup: ["--provider", "--base-url", "--api-key", "--model", "--agent"],
};

/** Candidates for the last of `words`, one per line. Never an error: a shell is waiting in the middle of a line. */
export async function complete(
  context: CommandContext,
  request: { readonly words: readonly string[] },
): CommandResult {
  const words = request.words;
  const current = words.at(-1) ?? "";
  const all = await candidates(context, words.slice(0, -1), current);
  const matching = all.filter((each) => each.startsWith(current));
  return text(matching.map((each) => `${each}\n`).join(""));
}

async function candidates(
  context: CommandContext,
  before: readonly string[],
  current: string,
): Promise<readonly string[]> {
  const command = before.slice(0, 2).join(" ");
  if (current.startsWith("-")) {
    const [outside = ""] = before;
    const own = wordsOf(OPTIONS, Object.hasOwn(OPTIONS, outside) ? outside : command);
    return [...own, "--format", "--color", "--error-format", "--help"];
  }
  if (before.at(-1) === "--format") return ["json", "yaml"];
  if (before.at(-1) === "--error-format") return ["text", "json"];
  if (before.at(-1) === "--color") return ["auto", "always", "never"];
  if (before.length === 0) return ROOT_WORDS;
  if (before.length === 1) return wordsOf(GROUPS, before[0] ?? "");
  const storage = context.openStorage();
  if (!storage.ok) return [];
  if (before.at(-1) === "--thread") return threadIds(storage.value, command);
  if (before.at(-1) === "--workflow") return workflowNames(storage.value, context.host.cwd);
  if (before.length !== 2) return [];
  if (THREAD_ARGUMENTS.has(command)) return threadIds(storage.value, command);
  return WORKFLOW_ARGUMENTS.has(command) ? workflowNames(storage.value, context.host.cwd) : [];
}

/** What is typed may be called `toString`. */
function wordsOf(table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(table, name) ? (table[name] ?? []) : [];
}

async function threadIds(storage: Storage, command: string): Promise<readonly string[]> {
  const endedToo = command !== "thread step" && command !== "thread run" && command !== "thread kill";
  const threads = await listThreads(storage, { all: endedToo });
  return threads.ok ? threads.value.map((state) => state.thread) : [];
}

async function workflowNames(storage: Storage, cwd: string): Promise<readonly string[]> {
  const registry = await readRegistry(storage);
  const names = registry.ok ? Object.keys(registry.value) : [];
  return [...new Set([...names, ...findLocalWorkflows(cwd).map((each) => each.name)])].sort();
}

// Each script asks `uwf __complete <words before the cursor> <word at the cursor>`, one candidate per line.

const BASH = `_uwf() {
  local IFS=$'\\n'
  COMPREPLY=($(uwf __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _uwf uwf
`;

const ZSH = `#compdef uwf
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_uwf() {
  local -a candidates
  candidates=("\${(@f)$(uwf __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates[1]" ]]; then compadd -a candidates; else _files; fi
}
compdef _uwf uwf
`;

const FISH = `complete -c uwf -f -a '(uwf __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export async function completion(
  _context: CommandContext,
  request: { readonly shell: string },
): CommandResult {
  const script = Object.hasOwn(SCRIPTS, request.shell) ? SCRIPTS[request.shell] : undefined;
  if (script !== undefined) return text(script);
  const usage = 'write `eval "$(uwf completion bash)"`, zsh likewise, or `uwf completion fish | source`';
  return err(
    fault("USAGE", {
      reason: `there are completions for bash, zsh and fish, not for ${request.shell}`,
      usage,
    }),
  );
}
