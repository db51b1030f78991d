/** What `uwf-exec --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-exec -- npm test"
uwf thread step <thread> --agent "uwf-exec --timeout 10m --cwd ../app -- make check"

Usage: uwf-exec [options] -- <command…> <thread-id> <role>

An agent of uwf that runs an ordinary command. The command gets the prompt on stdin and UWF_THREAD, UWF_ROLE and
UWF_STEPS_FILE (the thread's outputs so far, as JSON) in its environment. If it prints a YAML header that is valid for
the role, that is the reply; else the role's fields ok, exitCode, durationMs and output tell how it ended. A command
that fails is a result too.

Options:
  --timeout <duration>    end it after this long: 90s, 15m, 2h (ok: false, exitCode: 124)
  --cwd <folder>          where it runs
  --output-limit <size>   bytes of its output that the field output keeps, 16k by default
  --check                 only tell whether the command can be started
  --version
`;
