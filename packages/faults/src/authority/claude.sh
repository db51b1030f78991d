#!/bin/sh
# A `claude` that leaves its words and its environment in a folder of its own, and replies in a session.
start="$UWF_AUTHORITY_STARTS/$$-claude"
mkdir "$start"
printf '%s\0' claude "$@" >"$start/argv"
env -0 >"$start/env"
pwd >"$start/cwd"
cat >/dev/null
cat <<END
{"type":"result","subtype":"success","is_error":false,"session_id":"$UWF_AUTHORITY_SESSION","result":"---\ntext: made\n---\nMade."}
END
