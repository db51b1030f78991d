/** What an agent's command line asks for. */
type AgentCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly reason: string }
  | {
      readonly kind: "run";
      /** The agent's own words, before the two that uwf adds. */
      readonly args: readonly string[];
      readonly thread: string;
      readonly role: string;
    };

/** `[args…] <thread-id> <role>`: whatever comes before the last two words is the agent's own. */
export function parseArgv(argv: readonly string[]): AgentCommand {
  const [first] = argv;
  if (first === "--help" || first === "-h") return { kind: "help" };
  if (first === "--version") return { kind: "version" };
  const thread = argv.at(-2);
  const role = argv.at(-1);
  if (thread === undefined || role === undefined) {
    return {
      kind: "usage",
      reason: argv.length === 0 ? "no thread id and no role" : "no role after the thread id",
    };
  }
  return { kind: "run", args: argv.slice(0, -2), thread, role };
}

export function usageLine(name: string): string {
  return `${name} [arguments] <thread-id> <role>`;
}

export function helpText(name: string): string {
  return `Usage: ${usageLine(name)}

An agent of uwf: acts as the role in the thread's next step, stores the step and prints its hash. It does not move
the thread's head; \`uwf thread step <thread-id> --agent ${name}\` runs it and does.
`;
}
