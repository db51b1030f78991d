import { ENTRY, SCENARIO } from "@uncaged/workflow-util";
import { type Block, code, defineTopic, list, section } from "./types.js";

export const topic = defineTopic("scenarios", [
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
    "`expect` lists the roles in the required order; another role is an error. Without the option, `UWF_MOCK_SCENARIO` names the file.",
  ),
  section(
    "Test a workflow",
    "`uwf workflow test` plays the scenarios beside a workflow, `<name>.scenario.yaml` and `<name>.*.scenario.yaml`, from its start to its end. It needs no agent, no model and no thread, and stores nothing. A reply is read, checked and routed as in a real step.",
    code(`uwf workflow test note.yaml
uwf workflow test note.yaml --update`),
    "A scenario also replies for a person or a child workflow: the reply is the role's output. A person's reply gets `answeredBy`, `answeredAt` and `timedOut`, if the role declares them and the reply does not set them.",
    "`--update` adds missing keys and changes no existing one: `expect`, `end: $FAIL`, and an example for each role that has no reply.",
  ),
  section("Keys of a scenario", keysIn(SCENARIO)),
  section("Keys of an entry", keysIn(ENTRY)),
]);

function keysIn(table: Readonly<Record<string, { readonly about: string }>>): Block {
  return list(...Object.entries(table).map(([key, { about }]) => [`\`${key}\``, about] as const));
}
