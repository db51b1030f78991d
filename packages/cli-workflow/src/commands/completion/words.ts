// The words of the command line; a test compares them with the real program.

/** The first word of what completion scripts ask. */
export const COMPLETE = "__complete";

export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  workflow: ["put", "show", "list"],
  thread: [
    "start",
    "fork",
    "kill",
    "unlock",
    "step",
    "run",
    "next",
    "show",
    "list",
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
  ],
  completion: ["bash", "zsh", "fish"],
  help: ["workflow", "thread", "cas", "log", "doctor", "setup", "completion", "exit-codes"],
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

export const THREAD_ARGUMENTS: ReadonlySet<string> = new Set(
  ["step", "run", "next", "show", "steps", "read", "usage", "kill", "unlock"].map((name) => `thread ${name}`),
);

export const WORKFLOW_ARGUMENTS: ReadonlySet<string> = new Set(["workflow show", "thread start"]);

export const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  "workflow put": ["--strict"],
  "thread start": ["--prompt", "--prompt-file", "--cwd"],
  "thread step": ["--agent", "--wait", "--retries", "--cwd"],
  "thread run": ["--agent", "--wait", "--retries", "--cwd", "--max-steps"],
  "thread unlock": ["--force", "--index"],
  "thread list": ["--all", "--workflow", "--since", "--limit", "--offset"],
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
