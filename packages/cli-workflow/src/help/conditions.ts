import { IDIOMS } from "./idioms.js";
import { code, defineTopic, list, section } from "./types.js";

export const topic = defineTopic("conditions", [
  section(
    "What a condition is",
    "A named JSONata expression over the history of a thread. It must evaluate to `true` or `false`: anything else, also no value, stops the step with exit 5, and the thread stays where it is. No model takes part, so the same history always leads to the same role.",
    code(`conditions:
  rejected:
    description: The reviewer sent it back
    expression: steps[-1].output.approved = false
graph:
  reviewer:
    - { role: developer, condition: rejected }
    - { role: $END, condition: null }`),
    "The transitions of a role are tried from top to bottom, and the thread takes the first that matches. `condition: null` always matches: put it last. `$END` ends the thread, `$FAIL` ends it as failed (exit 10).",
  ),
  section(
    "What it sees",
    code(`{
  "start": { "workflow": "<hash>", "prompt": "Fix the login redirect" },
  "steps": [
    {
      "role": "reviewer",
      "output": { "approved": false, "comments": "A test is missing" },
      "detail": "<hash>",
      "agent": "uwf-claude"
    }
  ]
}`),
    "Steps are oldest first, so `steps[-1]` is the last one. `output` has the fields that the role's `meta` declares. Conditions do not see other texts of agents, or people's notes.",
  ),
  section("Idioms", list(...IDIOMS.map(([expression, asks]) => [`\`${expression}\``, asks] as const))),
  section(
    "Traps",
    list(
      [
        "a field that is missing",
        "makes both `=` and `!=` false, and `$not(…)`, `>` and `<` give no value. Require the field in `meta`, or ask `$exists(…) and …` first.",
      ],
      ["`steps.role[-1]`", "is the last item of each role, not the role of the last step: `steps[-1].role`."],
      [
        "a list of one",
        "JSONata turns it into the item itself. Count with `$count(…)` instead of comparing with a list.",
      ],
      [
        '`"false"`',
        "is a text, and a text is never equal to `false`. `workflow put` refuses the comparison.",
      ],
      [
        "time and chance",
        "`uwf workflow put` refuses `$now`, `$millis`, `$random`, `$shuffle` and `$eval`, so that a decision can be repeated.",
      ],
    ),
  ),
  section(
    "Finding out",
    "`uwf thread next <thread>` evaluates every transition of a thread and runs nothing. `uwf workflow put` checks each condition against roles, `meta`, enums and types, and shows where a mistake is.",
  ),
]);
