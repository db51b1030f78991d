import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect } from "vitest";
import { MOCK, type Sandbox, sandbox } from "./uwf.js";

const PACKAGES = resolve(import.meta.dirname, "../../..");

/** Marks every text that comes from elsewhere. */
const MARK = "outside";

/** Texts that a program would obey if they stood among its words. */
const TEXTS = [
  `--mcp-config={"mcpServers":{"${MARK}":{"command":"sh"}}}`,
  `-c=${MARK}`,
  `--yolo\n--${MARK}=1`,
  `=--${MARK}`,
  `--upload-pack=${MARK}`,
];

export type Subject = {
  /** The programs that it starts; each is replaced by one that records its words. */
  readonly programs: readonly string[];
  /** Its words for uwf. */
  readonly words: string;
  readonly says: (id: string, text: string) => string;
  /** The options that may have a text from elsewhere as `--option=<text>`. */
  readonly options: readonly string[];
  /** The word that goes before the id of a session, where the program knows no other way. */
  readonly before: string | null;
};

export const recording = (words: string, ...programs: readonly string[]): Subject => ({
  ...{ programs, words, says: () => "", options: [], before: null },
});

export function binOf(name: string): string {
  const found = agents().find((path) => basename(path) === name);
  return found ?? name;
}

/** The binaries of all adapters; those of the kit are tools. */
export function agents(): readonly string[] {
  return readdirSync(PACKAGES)
    .filter((name) => name.startsWith("workflow-agent-") && name !== "workflow-agent-kit")
    .map((name) => join(PACKAGES, name, "bin"))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => basename(path).startsWith("uwf-"));
}

const quoted = JSON.stringify(TEXTS.join("\n"));

const WORKFLOW = `name: hostile
description: ${quoted}
roles:
  writer: { description: d, goal: g, capabilities: [], procedure: p, output: o, meta: { type: object } }
  maker:
    description: ${quoted}
    goal: ${quoted}
    capabilities: [${TEXTS.map((text) => JSON.stringify(text)).join(", ")}]
    procedure: ${quoted}
    output: ${quoted}
    meta: { type: object, required: [text], properties: { text: { type: string } } }
conditions: {}
graph:
  $START: [{ role: writer, condition: null }]
  writer: [{ role: maker, condition: null }]
  maker: [{ role: $END, condition: null }]
`;

/** Each program leaves its words in a file of \`calls\`, ended by NUL, and prints the file \`says\`; git does its work. */
function installPrograms(box: Sandbox, { programs }: Subject) {
  const calls = join(box.cwd, "../calls");
  mkdirSync(calls);
  const record = `n=$(ls '${calls}' | wc -l)\nprintf '%s\\0' "$@" > "${calls}/$(printf %04d $n).$$"\n`;
  for (const name of programs) {
    const reply = `cat > /dev/null\ncat '${calls}/../says'`;
    const rest = name === "git" ? 'exec /usr/bin/git "$@"' : name === "recorded" ? "exit 3" : reply;
    chmodSync(box.write(`../bin/${name}`, `#!/bin/sh\n${record}${rest}\n`), 0o755);
  }
  const wordsOf = (file: string) => readFileSync(join(calls, file), "utf8").split("\0").slice(0, -1);
  return {
    env: { PATH: `${join(box.cwd, "../bin")}:${box.environment.PATH}` },
    say: (text: string) => writeFileSync(join(calls, "../says"), text),
    calls: () => readdirSync(calls).sort().map(wordsOf),
  };
}

const SOUND = `s-${MARK}.1`;

/** The words with a text from elsewhere that may be one of the program's own. */
function wrongIn(words: readonly string[], { options, before, programs }: Subject): readonly string[] {
  const end = words.indexOf("--");
  return words.filter((word, at) => {
    const isValue = options.some((option) => word.startsWith(`${option}=`));
    const isId = word === SOUND && words[at - 1] === before;
    // A program that is given files gets absolute paths.
    const isPath = programs.includes("recorded") && word.startsWith("/");
    return word.includes(MARK) && !isValue && !isId && !isPath && (end === -1 || at < end);
  });
}

/** Two documents that a program compares, where it needs some. */
type Documents = readonly [old: Uint8Array, now: Uint8Array];

/** Expects that the agent gives its program no text from elsewhere as an option. */
export async function expectNoOptionFromElsewhere(
  name: string,
  subject: Subject,
  documents: Documents,
): Promise<void> {
  const box = sandbox();
  const { env, say, calls } = installPrograms(box, subject);
  const thread = await startHostile(box, documents);
  const step = () =>
    box.uwf(["thread", "step", thread, "--agent", `'${binOf(name)}' ${subject.words}`], { env });
  const replies = [
    [TEXTS[0] ?? "", "no header"],
    // It is asked again in its session.
    [SOUND, "no header"],
    [SOUND, `---\ntext: ${JSON.stringify(TEXTS[0])}\n---\n`],
  ] as const;
  const said = replies.filter(([id, text]) => subject.says(id, text) !== "");
  for (const [id, text] of said.length === 0 ? replies.slice(0, 1) : said) {
    say(subject.says(id, text));
    await step();
  }
  const seen = calls();
  expect(seen).not.toEqual([]);
  expect(seen.flatMap((words) => wrongIn(words, subject))).toEqual([]);
  const ids = seen.flat().filter((word) => /^--(?:resume|session|session-id)=/.test(word) || word === SOUND);
  expect(ids.filter((word) => !word.endsWith(SOUND))).toEqual([]);
  expect(ids.length > 0).toBe(said.length > 0);
}

/** A thread whose texts, outputs and files are hostile; its first step is done. */
async function startHostile(box: Sandbox, [old, now]: Documents): Promise<string> {
  const [from = "", to = ""] = TEXTS.map((text) => `${text}.docx`);
  writeFileSync(join(box.cwd, from), old);
  writeFileSync(join(box.cwd, to), now);
  box.write("hostile.yaml", WORKFLOW);
  const who = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "."],
    [...who, "commit", "--quiet", "-m", "first"],
  ])
    execFileSync("git", words, { cwd: box.cwd, env: { PATH: box.environment.PATH, HOME: box.home } });
  const { thread } = await box.prepare(["thread", "start", "./hostile.yaml", "-p", TEXTS.join("\n")]);
  const output = { sourceDocx: from, outputDocx: to, workflow: from, note: TEXTS };
  const reply = `---\n${JSON.stringify(output)}\n---\n`;
  const scenario = box.write("../scenario.json", JSON.stringify({ roles: { writer: [{ reply }] } }));
  await box.prepare(["thread", "step", thread, "--agent", `'${MOCK}' --scenario '${scenario}'`]);
  return thread;
}
