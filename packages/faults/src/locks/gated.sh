#!/bin/sh
# Says that it runs by making <gate>.open, waits until the gate is removed, then becomes the agent.
: >"$UWF_FAULTS_GATE.open"
while [ -e "$UWF_FAULTS_GATE" ]; do sleep 0.02; done
exec "$UWF_FAULTS_GATED" "$@"
