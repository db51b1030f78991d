import { code, list, section, type Topic } from "./types.js";

export const topic: Topic = {
  name: "scenarios",
  summary: "play a workflow without a model",
  sections: [
    section(
      "A scenario",
      "A YAML file that says what each role replies at its first, second, … visit. The last entry repeats. `uwf-mock` is the agent that plays it:",
      code(`roles:
  writer:
    - reply: |
        ---
        note: A first try.
        ---
  reviewer:
    - reply: |
        ---
        approved: false
        comments: The second sentence is unclear.
        ---
    - reply: |
        ---
        approved: true
        comments: Clear.
        ---
expect: [writer, reviewer, writer, reviewer]`),
      code(`uwf thread step <thread> --agent "uwf-mock --scenario note.scenario.yaml"`),
      "`expect` lists the roles in the order in which they must come; another role is an error. Without the option, `UWF_MOCK_SCENARIO` names the file.",
    ),
    section(
      "Keys of an entry",
      list(
        ["`reply`", "the reply; required unless `exitCode` is not 0"],
        ["`delayMs`", "wait before the reply"],
        ["`exitCode`", "how the agent exits; a reply is stored and printed all the same"],
        ["`stderr`, `stdoutNoise`", "what it prints besides"],
        ["`usage`", "`{inputTokens, outputTokens, costUsd}` of the reply"],
        ["`continue`", "replies, in order, to requests for a valid header in the same session"],
        [
          "`sessionId`, `sessionLost`",
          "the session of the reply; whether the last one is gone at this visit",
        ],
      ),
      "`texts` contains texts by name: they are stored, and `{{name}}` in a reply becomes the hash, for fields that refer to a node.",
    ),
  ],
};
