#!/bin/sh
# Leaves the words and the environment of each start in a folder of its own, then becomes the mock agent.
start="$UWF_AUTHORITY_STARTS/$$-${UWF_RUN:-none}"
mkdir "$start"
printf '%s\0' agent "$@" >"$start/argv"
env -0 >"$start/env"
pwd >"$start/cwd"
exec "$UWF_FAULTS_AGENT" "$@"
