import { err, fault } from "@uncaged/workflow-protocol";
import type { CommandContext, CommandResult } from "../line/index.js";
import { text } from "./output.js";

// The words of the command line; a test compares them with the real program.

/** The first word of what completion scripts ask. */
export const COMPLETE = "__complete";

/** The topics of `uwf help` with their summaries; their texts are in help/. */
export const HELP_TOPICS: readonly (readonly [name: string, summary: string])[] = [
  ["agents", "who plays a role, which agents there are, and how to write one"],
  ["conditions", "what conditions see, and how to ask the usual questions"],
  ["configuration", "config.yaml with every key, and what a project may set"],
  ["environment", "the variables that uwf reads, and those that an agent gets"],
  ["exit-codes", "what each exit code means, and whether a retry helps"],
  ["remotes", "threads in PostgreSQL, stepped by workers on several machines"],
  ["scenarios", "play a workflow without a model"],
  ["storage", "where everything is kept, and how to back it up, move it and clean it"],
  ["workflows", "how a workflow file is written, with every key"],
];

export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  workflow: [
    "put",
    "validate",
    "test",
    "schema",
    "show",
    "graph",
    "diff",
    "list",
    "history",
    "rollback",
    "rm",
  ],
  thread: [
    "start",
    "fork",
    "note",
    "limit",
    "pause",
    "resume",
    "kill",
    "rm",
    "unlock",
    "step",
    "run",
    "submit",
    "push",
    "fetch",
    "answer",
    "next",
    "show",
    "list",
    "ps",
    "live",
    "steps",
    "read",
    "report",
    "step-details",
    "usage",
    "export",
    "import",
  ],
  remote: ["init", "status", "gc"],
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
    "pack",
    "gc",
    "export",
    "import",
    "put-text",
    "file",
  ],
  completion: ["bash", "zsh", "fish"],
  skill: ["cli", "author", "agent"],
  help: [
    "run",
    "prompt",
    "workflow",
    "thread",
    "remote",
    "worker",
    "cas",
    "report",
    "ui",
    "log",
    "doctor",
    "init",
    "setup",
    "completion",
    "skill",
    ...HELP_TOPICS.map(([name]) => name),
  ],
};

export const ROOT_WORDS: readonly string[] = [
  "run",
  "prompt",
  "workflow",
  "thread",
  "remote",
  "worker",
  "cas",
  "report",
  "ui",
  "log",
  "doctor",
  "init",
  "setup",
  "completion",
  "skill",
  "help",
];

export const THREAD_ARGUMENTS: ReadonlySet<string> = new Set([
  "cas export",
  ...[
    "step",
    "run",
    "next",
    "show",
    "steps",
    "read",
    "report",
    "usage",
    "kill",
    "rm",
    "live",
    "unlock",
    "answer",
    "note",
    "limit",
    "pause",
    "resume",
    "push",
    "export",
  ].map((name) => `thread ${name}`),
]);

export const WORKFLOW_ARGUMENTS: ReadonlySet<string> = new Set([
  "workflow show",
  "workflow graph",
  "workflow diff",
  "workflow history",
  "workflow rollback",
  "workflow rm",
  "thread start",
  "thread submit",
  "run",
  "prompt",
]);

// Each script asks `uwf __complete [--described] <words before the cursor> <word at the cursor>`: one candidate per line, and
// described ones with a tab and some words behind them. Only bash shows none.

const BASH = `_uwf() {
  local IFS=$'\\n'
  COMPREPLY=($(uwf __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _uwf uwf
`;

const ZSH = `#compdef uwf
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_uwf() {
  local line value about
  local -a described
  for line in "\${(@f)$(uwf __complete --described "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    about=\${line:\${#value}}
    described+=("\${value//:/\\\\:}\${about/$'\\t'/:}")
  done
  if (( $#described )); then _describe -V uwf described; else _files; fi
}
compdef _uwf uwf
`;

const FISH = `complete -c uwf -f -k -a '(uwf __complete --described (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
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
