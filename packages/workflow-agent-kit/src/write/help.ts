export const WRITE_USAGE =
  "usage: uwf-agent-write [--agent <name>] [--session-id <id>] [--model <name>] [--facts <file.json>] [--output] <thread-id> <role>";

/** What `uwf-agent-write --help` prints. */
export const WRITE_HELP = `uwf-agent-write --agent uwf-mine "$thread" "$role" < reply.md
echo '{"passed": true}' | uwf-agent-write --agent uwf-mine --output "$thread" "$role"

U${WRITE_USAGE.slice(1)}

For agents in any language: reads the structured output out of a reply on stdin, stores the step with its detail and
prints its hash, which is what the agent has to print last.

Options:
  --agent <name>       what the agent calls itself; sessions are found again by it
  --session-id <id>    the agent's session
  --model <name>       the model that replied
  --facts <file.json>  {sessionId, cwd, model, usage: {inputTokens, outputTokens, totalTokens, costUsd},
                       toolCalls: [{name, arguments, result, durationMs}], or turns: [{input, output, toolCalls,
                       tokens: {input, output}, latencyMs}]}; leave out, or null, what is not known
  --output             stdin is the structured output itself, as JSON; nothing is extracted

Exit status: 0 and the hash; 6 when the output is not valid (every violation on stderr), else as uwf.
`;
