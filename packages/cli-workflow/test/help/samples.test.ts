import { chmodSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TOPICS } from "../../src/help/topics.js";
import { comparable, pathWith } from "../support/documents.js";
import { PAGE_EXITS, PAGE_SAMPLES } from "../support/pages.js";
import { HAS_TERMINALS, showOn } from "../support/shown.js";
import { EXAMPLES, REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";

// The samples of output in help pages, each compared with a real run on a terminal.

const TYPO = `name: typo
description: Leads to a role that is not there
roles:
  writer: { description: W, goal: G, capabilities: [], procedure: P, output: O, meta: { type: object } }
  reviewer: { description: W, goal: G, capabilities: [], procedure: P, output: O, meta: { type: object } }
conditions: {}
graph:
  $START: [{ role: writer, condition: null }]
  writer: [{ role: reviwer, condition: null }]
  reviewer: [{ role: $END, condition: null }]
`;

/** What the samples call the threads of this test, and the first step of the first one. */
const ACTIVE = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB";
const HELD = "01KAJ5F9C2W6R4T8XKN1BPZQ5N";
const FAILING = "01KAJ5G7T4M2R8E6SXKN1BPHVB";
const LIVE = "01KAJ5H1ZM6Q8V2T4RXC3B7W2D";
const FILE = "6PRC90G3SQT6F";
const STEP = "968RK709D8JWK";
const START = "3CZBG03ZSS8T3";

let box: Sandbox;
/** What they are really called. */
const real = new Map<string, string>();

const name = (shown: string, thread: string): void => {
  real.set(shown, thread);
  real.set(shown.slice(-4), thread.slice(-4));
};

async function start(workflow: string, prompt: string): Promise<string> {
  return (await box.json(["thread", "start", workflow, "-p", prompt, "--max-steps", "40"])).thread;
}

beforeAll(async () => {
  box = sandbox();
  cpSync(EXAMPLES, join(box.cwd, "examples"), { recursive: true });
  const scenario = `'${box.cwd}/examples/solve-issue.scenario.yaml'`;
  chmodSync(
    box.write("bin/uwf-claude", `#!/bin/sh\nexec '${REAL_MOCK}' --scenario ${scenario} "$@"\n`),
    0o755,
  );
  box.write("typo.yaml", TYPO);
  await box.json(["setup", "--agent", `'${REAL_MOCK}' --scenario ${scenario}`]);
});

/** What a case may type around its command; the command ends by itself where it has none. */
type Around = (command: string) => string;

/** One remote for all of them; the first one makes its tables. */
const onRemote: Around = (command) => `UWF_REMOTE_URL='pglite:${box.home}/remote' ${command}`;

type Case = readonly [path: string, before: () => Promise<unknown>, around?: Around];

/** The command's output once it contains these words, and the rest of it after this line was typed. */
const inBackground =
  (words: string, then: string): Around =>
  (command) =>
    `${command} --format text >out & until grep -q '${words}' out; do sleep 0.1; done; ${then}; wait; cat out`;

const nothing = async (): Promise<void> => {};

/** In an order in which each finds what it needs. */
const ALL: readonly Case[] = [
  ["workflow put", nothing],
  ["workflow validate", nothing],
  ["workflow test", nothing],
  ["workflow schema", nothing],
  ["workflow show", nothing],
  ["workflow graph", nothing],
  ["workflow diff", nothing],
  ["workflow history", nothing],
  ["workflow list", () => box.json(["workflow", "put", "examples/publish-note.yaml"])],
  ["prompt", nothing],
  ["thread start", nothing],
  ["init", nothing],
  [
    "thread step",
    async () => {
      for (const { thread } of await box.json<readonly { readonly thread: string }[]>(["thread", "list"]))
        await box.json(["thread", "kill", thread]);
      name(ACTIVE, await start("solve-issue", "Fix the login redirect"));
    },
  ],
  [
    "thread list",
    async () => {
      const thread = real.get(ACTIVE) ?? "";
      await box.json(["thread", "step", thread]);
      const { steps } = await box.json(["thread", "steps", thread]);
      real.set(START, steps[0]?.hash ?? "");
      real.set(STEP, steps[1]?.hash ?? "");
      const note = await start("publish-note", "Announce the holidays");
      name(HELD, note);
      const agent = `'${REAL_MOCK}' --scenario '${box.cwd}/examples/publish-note.scenario.yaml'`;
      await box.json(["thread", "step", note, "--agent", agent]);
      await box.uwf(["thread", "step", note]);
      name(FAILING, await start("solve-issue", "The tests fail on Windows"));
      await box.uwf(["thread", "step", real.get(FAILING) ?? "", "--agent", "false"]);
    },
  ],
  ...[
    "thread show",
    "thread steps",
    "thread next",
    "thread usage",
    "thread limit",
    "thread ps",
    "thread read",
    "thread report",
    "report",
    "thread step-details",
    "thread unlock",
    "thread note",
    "thread pause",
    "thread resume",
    "thread answer",
    "log",
    "cas get",
    "cas schema put",
    "cas put",
    "cas walk",
    "cas list",
    "cas schema get",
    "cas schema list",
    "cas schema validate",
    "completion",
    "skill",
    "cas has",
    "cas refs",
    "cas du",
    "cas reindex",
    "cas put-text",
    "cas file put",
    "cas pack",
  ].map((path): Case => [path, nothing]),
  [
    "cas file get",
    async () => {
      const { hash } = await box.json(["cas", "file", "put", "report.html"]);
      real.set(FILE, hash);
    },
  ],
  [
    "thread live",
    async () => name(LIVE, await start("solve-issue", "Say hello")),
    (command) =>
      inBackground("following", `${command.replace(" live ", " run ")} --quiet >run.out 2>&1`)(command),
  ],
  ["ui", nothing, inBackground("token", "kill $!")],
  ...[
    "cas gc",
    "cas verify",
    "cas export",
    "cas import",
    "thread export",
    "thread import",
    "thread run",
    "thread fork",
    "thread kill",
    "thread rm",
    "run",
    "doctor",
    "setup",
  ].map((path): Case => [path, nothing]),
  ["remote init", nothing, onRemote],
  ["remote status", nothing, onRemote],
  ["remote gc", nothing, onRemote],
  ["worker", nothing, onRemote],
  ["thread submit", nothing, onRemote],
  ["thread push", async () => name(LIVE, await start("solve-issue", "Say hello")), onRemote],
  ["thread fetch", nothing, onRemote],
  [
    "workflow rollback",
    async () => {
      const text = box.read("../project/examples/solve-issue.yaml");
      box.write("examples/solve-issue.yaml", text.replace(/^description: .*$/m, "description: Another one"));
      await box.json(["workflow", "put", "examples/solve-issue.yaml"]);
    },
  ],
  ["workflow rm", nothing],
];

/** Those of an add-on may be left out of the tree. */
const CASES = ALL.filter(([path]) => Object.hasOwn(PAGE_EXITS, path));

/** Lines without ids, times and numbers. */
const linesOf = (text: string, known: string): readonly string[] =>
  comparable(text, known)
    .replace(/\d+(?:\.\d+)?/g, "<n>")
    .split("\n");

const IN_MEMORY = /^warning +filesystem: .* in memory .*\n(?: .*\n)*/m;

/** What doctor would print of a storage root on a disk: the folder for temporary files may be in memory. */
function onDisk(output: string): string {
  if (!IN_MEMORY.test(output)) return output;
  return output
    .replace(IN_MEMORY, "")
    .replace(/^everything else is (fine: .*, disk), .*$/m, "everything is $1, filesystem, format,");
}

/** Whether the output has these lines one below the other; where a `…` stands alone, others may come in between. */
function contains(output: readonly string[], sample: readonly string[]): boolean {
  const gap = sample.indexOf("…");
  const block = gap === -1 ? sample : sample.slice(0, gap);
  const rest = gap === -1 ? [] : sample.slice(gap + 1);
  const at = output.findIndex((_, place) =>
    block.every((line, index) => matches(output[place + index] ?? "", line)),
  );
  if (at === -1) return block.length === 0 && rest.length === 0;
  return rest.length === 0 || contains(output.slice(at + block.length), rest);
}

function matches(line: string, sample: string): boolean {
  return sample.endsWith("…") ? line.startsWith(sample.slice(0, -1).trimEnd()) : line === sample;
}

describe.skipIf(!HAS_TERMINALS)("the sample of output in the help of", () => {
  const cases = CASES.map(([path, before, around = String]) => [path, before, around] as const);

  it.each(cases)("uwf %s is what the command prints", async (path, before, around) => {
    await before();
    const { line = "", prints = "" } = PAGE_SAMPLES[path] ?? {};
    const typed = [...real].reduce((text, [shown, its]) => text.replaceAll(shown, its), `uwf ${line}`);
    const { lines } = await showOn(box, around(typed), {
      env: { PATH: `${pathWith(join(box.cwd, "bin"))}:${box.environment.PATH}` },
    });
    const output = onDisk(lines.join("\n"))
      .replaceAll(box.cwd, "/home/kim")
      .replaceAll(box.root, "/home/kim/.uncaged/workflow");
    const printed = linesOf(output, [...real.values(), output].join("\n"));
    const sample = linesOf(prints, [ACTIVE, HELD, FAILING, LIVE, prints].join("\n"));
    expect(contains(printed, sample), `${printed.join("\n")}\n\nis not\n\n${sample.join("\n")}`).toBe(true);
  });
});

describe("the samples and the exit codes of help pages", () => {
  const commands = Object.keys(PAGE_EXITS).sort();

  it("are of commands that there are, and each sample is compared with a run", () => {
    expect(Object.keys(PAGE_SAMPLES).filter((path) => !commands.includes(path))).toEqual([]);
    expect(CASES.map(([path]) => path).sort()).toEqual(Object.keys(PAGE_SAMPLES).sort());
  });

  it("are there for every command that prints a result", () => {
    expect(commands.filter((path) => !Object.hasOwn(PAGE_SAMPLES, path))).toEqual(["help"]);
  });

  it("are explained by `uwf help exit-codes`", () => {
    const [section] = TOPICS.find((topic) => topic.name === "exit-codes")?.sections ?? [];
    const [block] = section?.blocks ?? [];
    const explained = block?.kind === "list" ? block.items.map(([term]) => Number(term)) : [];
    expect(
      [...new Set(Object.values(PAGE_EXITS).flat())].filter((code) => !explained.includes(code)),
    ).toEqual([]);
  });

  it.each([["setup", "--agent", "uwf-mock"], ["doctor"]])(
    "are those with which uwf %s ends, a folder for config.yaml included",
    async (...line) => {
      const other = sandbox();
      mkdirSync(join(other.root, "config.yaml"), { recursive: true });
      const { code } = await other.uwf(line);
      expect(code).toBe(3);
      expect(PAGE_EXITS[line[0] ?? ""]).toContain(code);
    },
  );

  it("are printed by --help and by `uwf help`, below the command's own options", async () => {
    const page = (await box.uwf(["thread", "list", "--help"])).stdout;
    expect((await box.uwf(["help", "thread", "list"])).stdout).toBe(page);
    expect(page).toContain("\nOutput:\n  $ uwf thread list\n  ID    WORKFLOW ");
    expect(page).toMatch(/\nExit codes: 0, 1, 2, 3, 4, 7, 74, 75; see uwf help exit-codes\n$/);
    expect(page.search(/^ {2}--offset/m)).toBeLessThan(page.search(/^ {2}--format/m));
    expect((await box.uwf(["thread", "step", "--help"])).stdout).toContain("latest");
  });
});
