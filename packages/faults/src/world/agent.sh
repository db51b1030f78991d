#!/bin/sh
# Leaves a line for each start, then becomes the mock agent. UWF_FAULTS_FAIL is a pattern of tokens whose run fails.
eval "thread=\${$(($# - 1))} role=\${$#}"
printf '%s %s %s %s\n' "$thread" "$role" "$UWF_HEAD" "$UWF_RUN" >>"$UWF_FAULTS_LEDGER"
case "$UWF_RUN" in ${UWF_FAULTS_FAIL:-nothing}) echo "failing on purpose" >&2; exit 3 ;; esac
exec "$UWF_FAULTS_AGENT" "$@"
