const ROLE = `description: works
    goal: Do it
    capabilities: []
    procedure: ""
    output: ""
    meta: `;

/** The project's files beside the examples. */
export const FILES: Readonly<Record<string, string>> = {
  // A checker whose answer leads nowhere on.
  "loops.yaml": `name: loops
description: Made and checked
roles:
  maker:
    ${ROLE}{ type: object, required: [text], properties: { text: { type: string } } }
  checker:
    ${ROLE}{ type: object, properties: { approved: { type: boolean } } }
conditions:
  no: { description: sent back, expression: "steps[-1].output.approved = false" }
  yes: { description: accepted, expression: "steps[-1].output.approved = true" }
graph:
  $START: [{ role: maker, condition: null }]
  maker: [{ role: checker, condition: null }]
  checker: [{ role: maker, condition: no }, { role: $END, condition: yes }]
`,
  "fails.yaml": `name: fails
description: Ends in a failure
roles:
  maker:
    ${ROLE}{ type: object, required: [text], properties: { text: { type: string } } }
conditions: {}
graph:
  $START: [{ role: maker, condition: null }]
  maker: [{ role: $FAIL, condition: null }]
`,
  // Its child waits for a person.
  "asks.yaml": `name: asks
description: Has a note published
roles:
  desk:
    agent: { workflow: publish-note }
    ${ROLE}{ type: object, properties: { url: { type: string } } }
conditions: {}
graph:
  $START: [{ role: desk, condition: null }]
  desk: [{ role: $END, condition: null }]
`,
  "wrong.yaml":
    "name: wrong\nroles:\n  a: { description: 7 }\ngraph:\n  $START: [{ role: b, condition: null }]\n",
  "failing.yaml": "roles:\n  planner:\n    - { exitCode: 3, stderr: no model today }\n",
  "replies.yaml": replies({
    planner: ["plan: Check the whole text\nsteps: [Add cases, Check it]"],
    developer: [
      "filesChanged: [src/port.ts]\nsummary: Whole numbers",
      "filesChanged: [src/port.ts]\nsummary: No 0",
    ],
    reviewer: ["approved: false\ncomments: Refuse 0", "approved: true\ncomments: Settled"],
    writer: ["note: The office closes on Friday."],
    publisher: ["url: https://example.org/notes/7"],
    splitter: ["parts: [the check, the option]"],
    critic: ["part: this part\nfindings: [the error names no value]"],
    editor: ["verdict: change\nfindings: [the error names no value]"],
    maker: ["text: made"],
    checker: ["score: none"],
  }),
};

function replies(roles: Readonly<Record<string, readonly string[]>>): string {
  const entry = (fields: string): string =>
    `    - reply: |\n        ---\n${fields.replace(/^/gm, "        ")}\n        ---\n        Done.\n`;
  const lists = Object.entries(roles).map(([role, all]) => `  ${role}:\n${all.map(entry).join("")}`);
  return `roles:\n${lists.join("")}`;
}
