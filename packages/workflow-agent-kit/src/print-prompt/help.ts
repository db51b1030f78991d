export const PROMPT_USAGE = "usage: uwf-agent-prompt [--agent <name>] [--json] [--fresh] <thread-id> <role>";

/** What `uwf-agent-prompt --help` prints. */
export const PROMPT_HELP = `uwf-agent-prompt "$thread" "$role" | my-model > reply.md
uwf-agent-prompt --json --agent uwf-mine "$thread" "$role"

U${PROMPT_USAGE.slice(1)}

For agents in any language: prints what the agent is to be asked for the thread's next step, deliverable format, role,
task and history in one text.

Options:
  --json           {thread, role, head, sessionId, prompt, task, outputFormat, meta, steps}; where sessionId is not null,
                   prompt is for that session, in which the agent has played the role before: what has happened since
  --agent <name>   what the agent calls itself, to find its session
  --fresh          the whole prompt for a new session, also where there is an old one
`;
