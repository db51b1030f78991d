#!/bin/sh
# An agent that says what stands in two files and ends with the status it is told.
[ -n "$UWF_HOSTILE_STDERR" ] && cat "$UWF_HOSTILE_STDERR" >&2
[ -n "$UWF_HOSTILE_STDOUT" ] && cat "$UWF_HOSTILE_STDOUT"
exit "${UWF_HOSTILE_CODE:-0}"
