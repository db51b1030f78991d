#!/bin/sh
# The same in plain shell; uwf-agent-prompt and uwf-agent-write come with @uncaged/workflow-agent-kit:
#   uwf thread step <thread> --agent "examples/agents/uwf-pipe.sh ollama run llama3.1"
set -eu
[ "${1-}" != --version ] || { echo "uwf-pipe.sh 1.0.0"; exit 0; }
for word; do thread=${role-} role=$word; done # uwf's two words stand behind the agent's own
own=$(($# - 2))
for word; do shift; [ $((own -= 1)) -lt 0 ] || set -- "$@" "$word"; done
prompt=$(uwf-agent-prompt "$thread" "$role")
reply=$(printf '%s\n' "$prompt" | "$@")
printf '%s\n' "$reply" | uwf-agent-write --agent uwf-pipe.sh "$thread" "$role"
