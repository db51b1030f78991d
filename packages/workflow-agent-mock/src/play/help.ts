/** What `uwf-mock --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-mock --scenario scenario.yaml"

Usage: uwf-mock [--scenario <file>] <thread-id> <role>

An agent of uwf that plays a scenario, for demos and for tests without a network. The scenario is a YAML file: for each
role its replies. The n-th visit of a role in the thread plays the n-th, the last one repeats. A reply is what an agent
would say: a YAML header with the fields of the role's meta between two lines ---, then free text.

Options:
  --scenario <file>    the scenario; without it UWF_MOCK_SCENARIO names the file
  --version

Keys of the scenario:
  roles     for each role a list of entries
  expect    the roles in their order; another order is an error
  texts     texts by name; {{name}} in a reply is the hash of the stored text

Keys of an entry:
  reply          what the agent says; needed unless exitCode is not 0
  delayMs        waits before it replies
  exitCode       the exit code of the process
  stdoutNoise, stderr
                 printed before the hash, and to stderr
  sessionId      the session of the reply
  sessionLost    true: the session of the last visit is gone
  continue       replies when the header was not valid and is asked for again
  usage          {inputTokens, outputTokens, costUsd}

An example to paste into a shell, with the id that the start prints in the place of <thread>:

cat > note.yaml <<'END'
name: note
description: Has a note reviewed.
roles:
  reviewer:
    description: Accepts or rejects
    goal: A clear note
    capabilities: []
    procedure: Read the note.
    output: The verdict
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } } }
conditions:
  rejected:
    description: Once more
    expression: steps[-1].output.approved = false
graph:
  $START: [{ role: reviewer, condition: null }]
  reviewer: [{ role: reviewer, condition: rejected }, { role: $END, condition: null }]
END
cat > scenario.yaml <<'END'
expect: [reviewer, reviewer]
roles:
  reviewer:
    - reply: |
        ---
        approved: false
        ---
        The second sentence is unclear.
    - reply: |
        ---
        approved: true
        ---
        Clear now.
END
uwf thread start ./note.yaml -p "Review the note"
uwf thread run <thread> --agent "uwf-mock --scenario scenario.yaml"
uwf thread read <thread>
`;
