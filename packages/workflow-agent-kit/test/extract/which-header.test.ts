import type { JsonObject } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { validateFrontmatter } from "../../src/extract.js";

const META: JsonObject = {
  type: "object",
  required: ["approved", "comments"],
  properties: {
    approved: { type: "boolean" },
    comments: { type: "string" },
    score: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    findings: {
      type: "array",
      items: {
        type: "object",
        required: ["file"],
        properties: { file: { type: "string" }, severity: { type: "string" } },
      },
    },
  },
};

function read(reply: string, schema = META): unknown {
  const result = validateFrontmatter(schema, reply);
  return result.ok ? result.value.value : result.error.join("\n");
}

/** Of another step, or of a first thought. */
const OTHER = '---\napproved: true\ncomments: "ok"\n---\n';

/** What an agent meant as its own header, and what it is told. */
const BROKEN: readonly (readonly [string, string, string])[] = [
  [
    "a colon in a text",
    "---\napproved: false\ncomments: Security: token is logged\n---\n",
    'a text that contains ": " must be quoted',
  ],
  [
    "quotes in a quoted text",
    '---\napproved: false\ncomments: "He said "no" to me"\n---\n',
    'inside of it a quote is written \\"',
  ],
  [
    "a list of fields",
    "---\n- approved: false\n- comments: bad\n---\n",
    "must be a map of fields, found a list",
  ],
  ["a tab", "---\napproved: false\ncomments: bad\ntags:\n\t- a\n---\n", "a tab cannot indent YAML"],
  ["an alias", "---\napproved: false\ncomments: *bad*\n---\n", "aliases"],
  ["an anchor", "---\napproved: false\ncomments: &x bad\n---\n", "anchors"],
  ["a repeated key", "---\napproved: false\napproved: true\ncomments: bad\n---\n", "appears twice"],
  ["a wrong type", '---\napproved: "no"\ncomments: bad\n---\n', "/approved: expected boolean"],
  ["a misspelt key", "---\naproved: false\ncomments: bad\n---\n", 'did you mean "approved"?'],
  ["two misspelt keys", "---\naproved: false\ncoments: bad\n---\n", 'did you mean "approved"?'],
  ["a capital letter", "---\nApproved: false\nComments: bad\n---\n", 'did you mean "approved"?'],
  ["a missing field", "---\napproved: false\n---\n", "/comments: expected string, got nothing"],
  [
    "a comment in a text",
    "---\napproved: false\ncomments: PR #5 first\n---\n",
    'contains " #" must be quoted',
  ],
  [
    "a text that is never closed",
    '---\napproved: false\ncomments: "bad\n---\n',
    "this quote is never closed",
  ],
  ["an open bracket", "---\napproved: false\ncomments: bad\ntags: [a, b\n---\n", "never closed"],
  ["a missing blank", "---\napproved:false\ncomments: bad\n---\n", "a space is missing after the colon"],
  ["no closing line", "---\napproved: false\ncomments: bad\n\nIt is never closed here.\n\n", ""],
  ["an indented field", "---\n  approved: false\n comments: bad\n---\n", "indent"],
  ["a yaml code block", "```yaml\napproved: false\ncomments: bad\n```\n", "code block needs its lines ---"],
  [
    "a json code block",
    '```json\n{"approved": false, "comments": "bad"}\n```\n',
    "code block needs its lines ---",
  ],
  ["a code block of tildes", "~~~\napproved: false\ncomments: bad\n~~~\n", "code block needs its lines ---"],
  ["bare JSON", '{"approved": false, "comments": "bad"}\n', "a header begins with a line ---"],
  ["no opening line", "approved: false\ncomments: bad\n\n", "a header begins with a line ---"],
  ["an end in dots", "---\napproved: false\ncomments: bad\n...\n", "the line ... does not end the header"],
  ["lines ***", "***\napproved: false\ncomments: bad\n***\n", "the line *** is no line ---"],
  ["lines ___", "___\napproved: false\ncomments: bad\n___\n", "the line ___ is no line ---"],
  ["lines of four hyphens", "----\napproved: false\ncomments: bad\n----\n", "write exactly three hyphens"],
  ["lines of two hyphens", "--\napproved: false\ncomments: bad\n--\n", "write exactly three hyphens"],
  ["lines of a long dash", "———\napproved: false\ncomments: bad\n———\n", "write exactly three hyphens"],
  ["lines +++", "+++\napproved: false\ncomments: bad\n+++\n", "write exactly three hyphens"],
  ["lines ===", "===\napproved: false\ncomments: bad\n===\n", "write exactly three hyphens"],
  ["a no-break space", "---\u00a0\napproved: false\ncomments: bad\n---\u00a0\n", "U+00A0"],
  ["a zero-width space", "\u200b---\napproved: false\ncomments: bad\n---\n", "U+200B"],
  ["a word joiner after it", "---\u2060\napproved: false\ncomments: bad\n---\n", "U+2060"],
  ["indented lines ---", "  ---\n  approved: false\n  comments: bad\n  ---\n", "is indented"],
  [
    "a word behind the line ---",
    "--- yaml\napproved: false\ncomments: bad\n---\n",
    "only --- may stand on its line",
  ],
];

describe("a reply whose own header is broken", () => {
  for (const [name, own, sentence] of BROKEN) {
    it(`by ${name} hears what is wrong, whatever else the reply quotes`, () => {
      // Without its closing line nothing but another block closes it.
      if (name !== "no closing line") {
        expect(read(own)).toContain(sentence);
        expect(read(`${own}\nbody\n`)).toContain(sentence);
      }
      for (const reply of [
        `${own}\nThe earlier review was:\n\n${OTHER}\nwhich I retract.\n`,
        `<think>\nDraft:\n${OTHER}Wait, no tests.\n</think>\n${own}body\n`,
        `My first review said:\n\n${OTHER}\nI have changed my mind:\n\n${own}`,
      ]) {
        const found = read(reply);
        if (name === "no closing line" && typeof found === "object")
          expect(found).toMatchObject({ approved: false });
        else expect(found, reply).toBeTypeOf("string");
      }
    });
  }
});

const OWN = { approved: false, comments: "bad" };
const SOUND = '---\napproved: false\ncomments: "bad"\n---\n';

describe("a sound reply is accepted", () => {
  const accepted: readonly (readonly [string, string])[] = [
    ["with prose before its header", `Here is my review.\n\n${SOUND}\nBody\n`],
    [
      "after thoughts",
      `<think>\nIs it approved? Let me see: no.\n- comments are due\n</think>\n\n${SOUND}Body\n`,
    ],
    [
      "after a plan in a list",
      `<think>\nPlan:\n- approved: maybe\n- comments: due\n</think>\n${SOUND}Body\n`,
    ],
    ["after a numbered plan", `<think>\n1. approved: true?\n2. comments: due\n</think>\n${SOUND}`],
    ["after the other verdict in its thoughts", `<think>\n- approved: true\nNo, wait.\n</think>\n${SOUND}`],
    ["after a list of fields", `My verdict:\n- approved: no\n- comments: below\n\n${SOUND}`],
    ["after a quotation", `> approved: true\n> comments: x\n\nThat was earlier.\n\n${SOUND}`],
    ["after code that names a field", `    approved: true\n    comments: x\n\n${SOUND}`],
    ["and says it again", `Hi.\n\n${SOUND}\n**Approved**: no\n\n- approved: false\n`],
    ["beside words on a field", `Hi.\n\n${SOUND}\nTo be approved: true tests. approved: true or false?\n`],
    ["at its beginning, with the other verdict below", `${SOUND}\n- approved: true\n`],
    ["after thoughts with rules", `<think>\nOne.\n\n---\n\nTwo.\n</think>\n---\n\n${SOUND}`],
    ["in one code fence", `\`\`\`markdown\n${SOUND}Body\n\`\`\`\n`],
    ["with its header in a code fence", `Done.\n\n\`\`\`yaml\n${SOUND}\`\`\`\n\nBody\n`],
    ["with a byte order mark", `\ufeff${SOUND}`],
    ["with CRLF", `Hi.\r\n\r\n${SOUND.replaceAll("\n", "\r\n")}`],
    ["with rules in the body", `${SOUND}\nOne\n\n---\n\nTwo\n\n---\n\nThree\n\n***\n`],
    ["with prose before it and rules in the body", `Hi.\n\n${SOUND}\nOne\n\n---\n\nTwo\n\n***\n\n----\n`],
    ["with other YAML in its body", `Hi.\n\n${SOUND}\n\`\`\`yaml\nname: ci\non: push\n\`\`\`\n`],
    ["with other front matter in its body", `Hi.\n\n${SOUND}\n---\ntitle: x\ndate: 1\n---\n`],
    ["with other JSON in its body", `Hi.\n\n${SOUND}\n\`\`\`json\n{"name": {"approved": 1}}\n\`\`\`\n`],
    ["with another header in its body", `${SOUND}\nThe earlier one:\n\n${OTHER}`],
    [
      "with a code block of fields in its body",
      `${SOUND}\n\`\`\`yaml\napproved: true\ncomments: x\n\`\`\`\n`,
    ],
    [
      "with a table in its body",
      `Hi.\n\n${SOUND}\n| a | b |\n|---|---|\n| 1 | 2 |\n\na | b\n--- | ---\n1 | 2\n`,
    ],
    ["with headings of the older kind", `Title\n=====\n\nSection\n-------\ncomment: x\n\n${SOUND}`],
    ["with one line that begins like a field", `comments: below.\n\n${SOUND}`],
    ["with lists in its body", `Hi.\n\n${SOUND}\n- comments: none\n- approved: never\n`],
    ["that says the same twice", `Hi.\n\n${SOUND}\ntext\n\n---\ncomments: bad\napproved: false\n---\n`],
    ["that repeats its header in a code block", `\nHi.\n\`\`\`yaml\n${SOUND}\`\`\`\n${SOUND}`],
    ["behind a rule", `---\n${SOUND}`],
    ["behind prose between rules", `---\nSome words\n---\n\n${SOUND}`],
    [
      "with a text that has rules",
      '---\napproved: false\ncomments: "bad"\ntags: ["---", "***"]\n---\nBody\n',
    ],
  ];
  for (const [name, reply] of accepted) it(name, () => expect(read(reply)).toMatchObject(OWN));

  it("with an indented line --- in a block text", () => {
    const reply = "Hi.\n\n---\napproved: false\ncomments: |-\n  One\n  ---\n  comments: Two\n---\nBody\n";
    expect(read(reply)).toEqual({ approved: false, comments: "One\n---\ncomments: Two" });
  });

  it("with indented code at the beginning of its body", () => {
    expect(read(`${SOUND}\n    code\n\n---\nmore\n`)).toEqual(OWN);
    expect(read("---\napproved: false\ncomments: |-\n  bad\n---\n\n    code\n")).toEqual(OWN);
  });
});

describe("a reply is ambiguous", () => {
  const HERE = "parts of the reply can be its header";
  const ambiguous: readonly (readonly [string, string])[] = [
    ["with two headers after prose", `Hi.\n\n${SOUND}\nor\n\n${OTHER}`],
    ["with a draft in its thoughts", `<think>\n${OTHER}</think>\n${SOUND}`],
    [
      "with another one in a code block",
      `Hi.\n\n${SOUND}\n\`\`\`json\n{"approved": true, "comments": "ok"}\n\`\`\`\n`,
    ],
    ["with another one that is not closed", `Hi.\n\n${SOUND}\nText\n\n---\napproved: true\n`],
    ["with another one between ***", `Hi.\n\n${SOUND}\n***\napproved: true\ncomments: x\n***\n`],
    ["with another one whose lines are indented", `Hi.\n\n${SOUND}\n  ---\n  approved: true\n  ---\n`],
  ];
  for (const [name, reply] of ambiguous)
    it(name, () => {
      expect(read(reply)).toContain(HERE);
      expect(read(reply)).toMatch(/on lines \d+, \d+/);
    });

  it.each([
    "approved: false",
    "Approved: no",
    "- approved: false",
    "1. approved: false.",
    "* **Approved:** false",
    "**approved**: `false`",
    "approved = false",
    "approved: false # the token is logged",
    "- approved: false — the token is logged",
    "Approved: No (the token is logged).",
    "**Approved:** ❌ No",
    "## Verdict: reject",
    "| approved | false |",
    "output:\n  approved: false",
    'Mine: {"approved": false, "comments": "bad"}',
    "<approved>false</approved>",
    '```json\n[{"approved": false}]\n```',
    '```json\n{"output": {"approved": false}}\n```',
    "**verdict**: reject",
    "- Verdict: reject",
  ])("where the words around it decide a field otherwise: %j", (words) => {
    const schema: JsonObject = {
      properties: { approved: { type: "boolean" }, verdict: { enum: ["accept", "reject"] } },
    };
    const quoted = "---\napproved: true\nverdict: accept\n---\n";
    for (const reply of [
      `Earlier:\n\n${quoted}\nNow:\n\n${words}\n`,
      `${words}\n\nEarlier:\n\n${quoted}`,
      `Mine:\n\n${words}\n\n\`\`\`yaml\n${quoted}\`\`\`\n`,
    ])
      expect(read(reply, schema), reply).toMatch(/two values|stand before one|can be its header/);
  });

  it("where its own header is larger than a header may be", () => {
    const large = `---\napproved: false\ncomments: "${"x".repeat(70_000)}"\n---\n`;
    expect(read(`${large}\nEarlier:\n${OTHER}`)).toContain("the limit is 65536");
    expect(read(`Hi.\n${OTHER}\nNo:\n${large}`)).toContain(HERE);
  });

  it("where its header may stand behind more rules than are looked at", () => {
    expect(read(`Hi.\n${OTHER}${"\n---\n".repeat(200)}\n${SOUND}`)).toContain("no header at its beginning");
  });
});

describe("a line --- inside a text", () => {
  for (const [name, reply] of [
    ["of a block", "---\napproved: false\ncomments: |\n  One\n---\n  Two\n---\nb\n"],
    ["of a folded block", "---\napproved: false\ncomments: >-\n  One\n---\n  Two\n---\nb\n"],
    ["of a block, with empty lines", "---\napproved: false\ncomments: |\n  One\n\n---\n\n  Two\n---\nb\n"],
    ["of a block, as its first line", "---\napproved: false\ncomments: |\n---\n  Two\n---\nb\n"],
    ["of a block, as its last line", "---\napproved: false\ncomments: |\n  One\n---\nscore: 5\n---\nb\n"],
    ["between quotes", '---\napproved: false\ncomments: "One\n---\nTwo"\n---\nb\n'],
    ["of a list", "---\napproved: false\ncomments: x\ntags:\n  - a\n---\n  - b\n---\nb\n"],
  ] as const)
    it(`${name} is a violation`, () =>
      expect(read(reply)).toMatch(/this line --- ends the header|never closed/));
});

describe("a # behind a blank", () => {
  const cut: readonly string[] = [
    "comments: See PR #532 before merging",
    "comments: See #5",
    "comments: #5 is open",
    "comments:\n  See PR\n  #532 before",
    "comments: See PR\n  #532 before\n  merging",
    "comments: a\n  b #5\n  c",
    "comments: x\ntags: [Fix #12, Fix #13]",
    "comments: x\ntags: [Fix #12\n  , Fix]",
    "comments: x\ntags: [\n  Fix #12,\n  b]",
    "comments: x\ntags:\n  - Fix #12\n  - Fix #13",
    "comments: x\ntags:\n  - a\n  - #13",
    "comments: x\ntags:\n- Fix\n  #12",
    "comments: x\nfindings:\n  - file: a.ts #1",
    "comments: x\nfindings: [{file: a.ts #1\n}]",
    "comments: issue\t#5",
  ];
  for (const lines of cut)
    it(`is a violation in ${JSON.stringify(lines)}`, () => {
      for (const eol of ["\n", "\r\n"]) {
        const reply = `---\napproved: false\n${lines}\n---\nb\n`.replaceAll("\n", eol);
        expect(read(reply)).toContain('contains " #" must be quoted');
      }
    });

  it("shows the text as it is to be written", () => {
    expect(read("---\napproved: false\ncomments: See PR #5 first\n---\n")).toContain(
      'line 3: a text that contains " #" must be quoted; a comment goes on a line of its own, did you mean `"See PR #5 first"`?',
    );
  });

  it("is no violation where it cuts no text", () => {
    const header =
      "# first\napproved: false # not yet\n# on its own line\ncomments: \"a #1\" # quoted\nscore: 5 # of 10\ntags: # two\n  - 'b #2'\n  # third\n  - c#3\nfindings: []\n";
    expect(read(`---\n${header}---\n`)).toEqual({
      approved: false,
      comments: "a #1",
      score: 5,
      tags: ["b #2", "c#3"],
      findings: [],
    });
    expect(read("---\napproved: false\ncomments: | # a block\n  See #5\n---\n")).toMatchObject({
      comments: "See #5\n",
    });
  });
});

describe("a backslash between double quotes", () => {
  const refused =
    String.raw`\frac{1}{2} \bfoo C:\temp\build C:\temp C:\new C:\new\table \alpha \beta \vec{x} \epsilon \0 \a
    \theta \tau \times \text{a} \nabla \nu \neq \newline \rho \right \Nabla C:\Program C:\Logs a\_b \x1b[0m ..\new .\temp
    %TEMP%\new ~\notes \temp \new \not \to d:\release \usepackage \section \d+`.split(/\s+/);
  for (const text of refused)
    it(`is refused in ${text}`, () => {
      for (const value of [text, `Use ${text} here`, `$${text}$`]) {
        const found = read(`---\napproved: false\ncomments: "${value}"\n---\n`);
        expect(found, value).toBeTypeOf("string");
        expect(found).toMatch(/backslash/);
      }
    });

  it.each([
    [String.raw`one\ntwo`, "one\ntwo"],
    [String.raw`One.\n\nTwo.\n- three\n- four`, "One.\n\nTwo.\n- three\n- four"],
    [String.raw`a\tb\t1`, "a\tb\t1"],
    [String.raw`if x:\n\treturn y`, "if x:\n\treturn y"],
    [String.raw`all:\n\t\tmake`, "all:\n\t\tmake"],
    ["```\\nnpm test\\n```", "```\nnpm test\n```"],
    [String.raw`a\r\nb`, "a\r\nb"],
    [String.raw`she said \"no\"`, 'she said "no"'],
    [String.raw`C:\\temp\\new`, "C:\\temp\\new"],
    [String.raw`\\frac, \\nabla`, "\\frac, \\nabla"],
    [String.raw`a\/b`, "a/b"],
    [String.raw`\u00e9\u2028`, "é\u2028"],
    [String.raw`Tests:\nAll pass`, "Tests:\nAll pass"],
    [String.raw`Done.\nnext: nothing`, "Done.\nnext: nothing"],
  ])("means what it says in %s", (source, comments) => {
    expect(read(`---\napproved: false\ncomments: "${source}"\n---\n`)).toEqual({ approved: false, comments });
  });

  it("is itself between single quotes and in a block text", () => {
    const text = String.raw`C:\temp\new \frac \beta`;
    expect(read(`---\napproved: false\ncomments: '${text}'\n---\n`)).toMatchObject({ comments: text });
    expect(read(`---\napproved: false\ncomments: |-\n  ${text}\n---\n`)).toMatchObject({ comments: text });
    expect(read(`---\napproved: false\ncomments: ${text}\n---\n`)).toMatchObject({ comments: text });
  });

  it("is refused in keys and lists as well", () => {
    expect(read('---\napproved: false\ncomments: x\ntags: ["\\frac"]\n---\n')).toContain("backslash");
    expect(read('---\n{"approved": false, "comments": "C:\\temp"}\n---\n')).toContain("backslash");
  });
});

describe("characters that no text has", () => {
  it.each([
    ["a form feed", "a\fb", "U+000C"],
    ["an escape", "\u001b[31mred", "U+001B"],
    ["the mark of bytes that are not UTF-8", "caf\ufffd", "bytes that are not UTF-8"],
    ["a carriage return", "a\rb", "U+000D"],
  ])("%s in a header is refused", (_, text, sentence) => {
    expect(read(`---\napproved: false\ncomments: ${text}\n---\nb\n`)).toContain(sentence);
  });

  it("a reply in UTF-16 and one whose lines end with CR hear it", () => {
    expect(read(Buffer.from(SOUND, "utf16le").toString("utf8"))).toContain("UTF-16");
    expect(read(SOUND.replaceAll("\n", "\r"))).toContain("end with CR alone");
  });
});

describe("fields that nearly have a declared name", () => {
  it.each([
    ["tag: [a]", '/tag: not a declared field, did you mean "tags"?'],
    ["Score: 3", '/Score: not a declared field, did you mean "score"?'],
    ["score: 3\nScore: 4", '/Score: not a declared field, did you mean "score"?'],
    ["finding: []", 'did you mean "findings"?'],
    [
      "findings:\n  - file: a\n    Severity: high",
      '/findings/0/Severity: not a declared field, did you mean "severity"?',
    ],
    ["findings:\n  - {file: a}\n  - {file: b, severty: low}", "/findings/1/severty"],
  ])("are violations: %j", (lines, sentence) => {
    expect(read(`---\napproved: false\ncomments: x\n${lines}\n---\n`)).toContain(sentence);
  });

  it("are found behind references and in the values of open maps", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { a: { $ref: "#/$defs/t" }, b: { additionalProperties: { $ref: "#/$defs/t" } } },
      $defs: { t: { type: "object", properties: { severity: { type: "string" } } } },
    };
    expect(read("---\na: {Severity: x}\n---\n", schema)).toContain("/a/Severity");
    expect(read("---\nb: {any: {severty: x}}\n---\n", schema)).toContain("/b/any/severty");
  });

  it("are none where every field may be there, or another variant declares it", () => {
    const open: JsonObject = { properties: { score: { type: "integer" } }, additionalProperties: true };
    expect(read("---\nscore: 1\nscores: 2\n---\n", open)).toEqual({ score: 1, scores: 2 });
    const variants: JsonObject = { oneOf: [{ required: ["value"] }, { required: ["values"] }] };
    expect(read("---\nvalues: 1\n---\n", variants)).toEqual({ values: 1 });
  });

  it("are none where they are another word", () => {
    expect(read("---\napproved: false\ncomments: x\nstatus: done\nconfidence: 1\n---\n")).toEqual({
      approved: false,
      comments: "x",
    });
  });
});

describe("where nothing is required", () => {
  const OPTIONAL: JsonObject = {
    type: "object",
    properties: { approved: { type: "boolean" }, comments: { type: "string" } },
  };
  it.each([
    [
      "prose between two rules",
      "All tests pass.\n\n---\n\nNote: the build is slow.\n\n---\n\nApproved, with comments.\n",
    ],
    ["prose between two rules at the beginning", "---\nNote: the build is slow.\n---\nApproved.\n"],
    ["a schema that was repeated", "---\ntype: object\nproperties:\n  approved: {type: boolean}\n---\n"],
    ["misspelt fields", "---\nAproved: false\nComment: no tests\n---\n"],
    ["foreign fields", "---\nstatus: done\n---\n"],
    ["nothing", "---\n{}\n---\n"],
    ["nothing at all", "---\n---\n"],
  ])("%s is no output", (_, reply) => expect(read(reply, OPTIONAL)).toBeTypeOf("string"));

  it("one field is enough", () => {
    expect(read("---\napproved: false\n---\n", OPTIONAL)).toEqual({ approved: false });
  });
});

describe("a meta that declares no property", () => {
  const reply =
    "---\nstatus: done\nnext: reviewer\nconfidence: 0.9\nartifacts: [a.ts]\nscope: thread\n---\nBody\n";
  const all = { status: "done", next: "reviewer", confidence: 0.9, artifacts: ["a.ts"], scope: "thread" };
  it.each([[{ type: "object" }], [{}], [{ type: "object", properties: {} }]] as const)(
    "keeps every field of the header: %j",
    (schema) => expect(read(reply, schema)).toEqual(all),
  );

  it("reads only a header at the beginning", () => {
    expect(read(`Hi.\n\n${reply}`, { type: "object" })).toBeTypeOf("string");
  });

  it("keeps none where it allows none", () => {
    expect(read("---\na: 1\n---\n", { type: "object", additionalProperties: false })).toEqual({});
  });
});
