#!/bin/sh
# Leaves a line for each start, then becomes the mock agent, or uwf-agent-write. UWF_FAULTS_FAIL is a pattern of tokens whose run fails.
eval "thread=\${$(($# - 1))} role=\${$#}"
printf '%s %s %s %s\n' "$thread" "$role" "$UWF_HEAD" "$UWF_RUN" >>"$UWF_FAULTS_LEDGER"
case "$UWF_RUN" in ${UWF_FAULTS_FAIL:-nothing}) echo "failing on purpose" >&2; exit 3 ;; esac
# With --output --facts <file> everything is given: the output is beside the facts.
[ "$1" = --output ] && exec "$UWF_FAULTS_WRITER" "$@" <"$3.output"
exec "$UWF_FAULTS_AGENT" "$@"
