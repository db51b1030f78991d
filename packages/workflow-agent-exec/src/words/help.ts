/** What `uwf-exec --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-exec -- npm test"
uwf thread step <thread> --agent "uwf-exec --timeout 10m --cwd ../app -- make check"

Usage: uwf-exec [options] -- <command…> <thread-id> <role>

An agent of uwf that runs an ordinary command. The command gets the prompt on stdin and UWF_THREAD, UWF_ROLE and
UWF_STEPS_FILE (the thread's outputs so far, as JSON) in its environment. The role's fields ok, exitCode, durationMs and
output tell how it ended; a command that fails is a result too. It tells further fields of the role in the file that
UWF_OUTPUT names, as YAML or JSON:

  echo "findings: 2" >> "$UWF_OUTPUT"

Of the keys in the storage root's .env the command gets those that the agent's env in config.yaml lists.

Options:
  --timeout <duration>    end it after this long: 90s, 15m, 2h (ok: false, exitCode: 124)
  --cwd <folder>          where it runs
  --output-limit <size>   bytes of its output that the field output keeps, 16k by default
  --fields-from-stdout    fields also from a YAML header at the beginning of its stdout
  --check                 only tell whether the command can be started
  --version

An example to paste into a shell, with the id that the start prints in the place of <thread>:

cat > tests.yaml <<'END'
name: tests
description: Runs the tests.
roles:
  tester:
    description: Runs the tests
    goal: To know whether they pass
    capabilities: []
    procedure: Run them.
    output: How they ended
    meta:
      type: object
      required: [ok, exitCode, output]
      properties: { ok: { type: boolean }, exitCode: { type: integer }, output: { type: string } }
conditions: {}
graph:
  $START: [{ role: tester, condition: null }]
  tester: [{ role: $END, condition: null }]
END
uwf thread start ./tests.yaml -p "Run the tests"
uwf thread step <thread> --agent "uwf-exec -- sh -c 'echo 1 of 3 failed; exit 1'"
uwf thread read <thread>

A workflow routes on it by a condition such as steps[-1].output.ok = false.
`;
