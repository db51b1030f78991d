import { code, defineTopic, list, section } from "../line/index.js";

/** What a condition is often meant to ask. Each expression passes `workflow put` and is evaluated by a test. */
export const IDIOMS: readonly (readonly [expression: string, asks: string])[] = [
  ["steps[-1].output.approved = false", "a field of the last step"],
  ["steps[-1].output.status = 'blocked'", "a text; texts stand in single quotes"],
  ["steps[-1].output.status in ['blocked', 'unclear']", "one of several texts"],
  ["steps[-1].output.failed > 0", "a number"],
  ["steps[-1].output.ok and steps[-1].output.failed = 0", "both"],
  ["$not(steps[-1].output.ok)", "the opposite of a field that is always there"],
  ["$exists(steps[-1].output.question)", "an optional field is there"],
  [
    "$exists(steps[-1].output.severity) and steps[-1].output.severity = 'high'",
    "an optional field is there and has a value",
  ],
  ["$count(steps[-1].output.findings) > 0", "a list is not empty"],
  ["$count(steps[-1].output.findings[level = 'high']) > 0", "one item of a list at least"],
  ["$count(steps[-1].output.findings[level != 'low']) = 0", "every item of a list"],
  ["steps[role = 'planner'][-1].output.risk = 'high'", "a field of a role's newest step"],
  ["$exists(steps[role = 'tester'])", "a role has had its turn"],
  ["$count(steps[role = 'developer']) >= 3", "a role has had this many turns"],
  [
    "$count(steps[role = 'reviewer' and output.approved = false]) >= 2",
    "something has happened this many times",
  ],
  ["$count(steps) % 5 = 0", "every fifth step"],
  ["$count(steps) > 1 and steps[-2].role = 'developer'", "who worked before the last one"],
  ["$sum(steps[role = 'tester'].output.seconds) > 600", "a sum over a role's steps"],
  ["$contains(start.prompt, 'urgent')", "a word of the task"],
  [
    "$contains(steps[-1].output.branch, /^release\\//)",
    "a pattern; look-around and back-references are refused",
  ],
  ["$lowercase(steps[-1].output.verdict) = 'ship'", "a text whatever its case"],
  ["$length($trim(steps[-1].output.comments)) > 0", "a text that is not blank"],
];

export const conditions = defineTopic("conditions", [
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
