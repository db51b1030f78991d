import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Host, main } from "@uncaged/cli-workflow";
import type { JsonObject } from "@uncaged/json-cas";
import { validateFrontmatter } from "@uncaged/workflow-agent-kit";
import { findFrontmatter, parseFrontmatterMarkdown, sanitizeTerminal } from "@uncaged/workflow-util";
import fc from "fast-check";
import { mannersOf, rawControl } from "../manners.js";
import { anyJson, corpus, hashLike, mutatedText, nastyText } from "../texts.js";
import { batchOf, type Subject } from "./batch.js";
import { COMMANDS, OPTIONS } from "./expressions.js";

/**
 * Command lines of every command and option with anything in between. Whatever could start a program or name a file to
 * write is taken from closed lists of harmless words.
 */
export const commandLines: Subject = {
  name: "command lines",
  sample: 400,
  batch: 800,
  weight: 3,
  open: async ({ folder, slowMs }) => {
    const cwd = join(folder, "a/b/c/project");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, "file.yaml"), "name: x\n");
    writeFileSync(join(cwd, "file.json"), "{}");
    const inputs = fc.record({ args: commandLine, stdin: fc.oneof(nastyText, fc.constant("{}")) });
    return batchOf(inputs, slowMs, ({ args, stdin }) =>
      runLine(args, { stdin, cwd, root: join(folder, "storage") }),
    );
  },
};

/** No slash that leads anywhere: absolute paths and `..` stand in the corpus of the binaries, in a cage of their own. */
const argument = fc
  .oneof(
    nastyText,
    hashLike,
    fc.constantFrom(
      ...corpus("paths"),
      "file.yaml",
      "./file.yaml",
      "file.json",
      "-",
      "",
      "0",
      "1",
      "-1",
      "1e9",
      "NaN",
    ),
  )
  .map((text) => text.replaceAll("/", "").replaceAll("..", "."))
  .filter((text) => !text.includes("\0"));

export const commandLine: fc.Arbitrary<readonly string[]> = fc
  .tuple(
    fc.constantFrom(...COMMANDS),
    fc.array(fc.oneof(argument, fc.constantFrom(...OPTIONS)), { maxLength: 5 }),
    fc.boolean(),
    argument,
  )
  .map(([command, rest, scramble, first]) => {
    const words = command.split(" ").filter((word) => word !== "");
    return scramble
      ? [...rest.slice(0, 2).flat(), ...words, ...rest.slice(2).flat()]
      : [...words, first, ...rest.flat()];
  });

type Cage = { readonly stdin: string; readonly cwd: string; readonly root: string };

async function runLine(args: readonly string[], cage: Cage): Promise<void> {
  const said = { stdout: "", stderr: "" };
  const code = await main(args, hostIn(cage, said));
  const wrong = mannersOf(args, { code, ...said });
  if (wrong.length > 0) throw new Error(`${wrong.join("; ")}\n${said.stderr.slice(0, 600)}`);
}

/** A process in a cage: no signals, no programs on PATH, nothing of our own environment. */
export function hostIn({ stdin, cwd, root }: Cage, said: { stdout: string; stderr: string }): Host {
  let now = 1_700_000_000_000;
  const sink = (stream: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[stream] += text;
    },
    isTerminal: () => false,
    columns: () => null,
    isClosed: () => false,
  });
  return {
    env: { PATH: "", HOME: cwd, UNCAGED_WORKFLOW_STORAGE_ROOT: root, UWF_DEBUG: "1" },
    cwd,
    binaries: "",
    now: () => (now += 1),
    pid: process.pid,
    runtime: { name: "node", version: "20.19.0" },
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    newToken: () => "token",
    writeBytes: () => {},
    readStdin: () => Buffer.from(stdin),
    stdinIsTerminal: () => false,
    onSignal: () => () => {},
    kill: () => false,
    sleep: async () => {},
  };
}

const SCHEMA: JsonObject = {
  type: "object",
  required: ["text"],
  properties: { text: { type: "string" }, more: {} },
  additionalProperties: false,
};

const short = corpus("replies").filter((text) => text.length < 300);

const piece = fc.oneof(
  nastyText,
  fc.constantFrom("---\n", "\n---\n", "```\n", "\r\n", "text: x\n", ...short),
);

const generated = fc
  .tuple(anyJson, nastyText)
  .map(([value, body]) => `---\n${JSON.stringify(value)}\n---\n${body}`);

const inputs = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...short).chain((reply) => mutatedText(reply, piece)) },
  { weight: 3, arbitrary: generated },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")) },
);

/** Replies: the header is found, read and validated, or refused with sentences. */
export const replies: Subject = {
  name: "replies",
  sample: 500,
  batch: 4_000,
  weight: 3,
  open: async ({ slowMs }) => batchOf(inputs, slowMs, readReply),
};

/** Replies that cost much for what they say. */
export const replyBombs: Subject = {
  name: "reply bombs",
  sample: 10,
  batch: 100,
  weight: 2,
  open: async ({ slowMs }) => {
    const bombs = fc.tuple(
      fc.constantFrom(...corpus("replies")),
      fc.constantFrom("", "prose\n", "```\n", "\ufeff"),
    );
    return batchOf(
      bombs.map(([reply, before]) => before + reply),
      slowMs,
      readReply,
    );
  },
};

function readReply(reply: string): void {
  const found = findFrontmatter(reply);
  const parsed = parseFrontmatterMarkdown(reply);
  const valid = validateFrontmatter(SCHEMA, reply);
  if (!found.ok && (parsed.ok || valid.ok)) throw new Error("a header was read that was not found");
  if (!parsed.ok && parsed.error.length === 0) throw new Error("refused without a word");
  if (!valid.ok) {
    if (valid.error.length === 0) throw new Error("invalid without a word");
    return;
  }
  const { text, ...others } = valid.value.value;
  const strangers = Object.keys(others).filter((name) => name !== "more");
  if (typeof text !== "string" || strangers.length > 0)
    throw new Error("what is valid does not fit the schema");
}

const part = fc.oneof(
  nastyText,
  fc.constantFrom(...corpus("terminal")),
  fc.string({
    unit: fc.constantFrom(..."\u001b\u009b\u009d\u0090\u009c\u0007[]PX^_\\0;m?\n\tab"),
    maxLength: 60,
  }),
  fc
    .tuple(fc.constantFrom(...corpus("terminal")), fc.nat({ max: 20_000 }))
    .map(([sequence, times]) => sequence.repeat(times)),
);

/** Texts of others on their way to a person: nothing is left that a terminal obeys, wherever they are cut. */
export const terminalTexts: Subject = {
  name: "terminal texts",
  sample: 200,
  batch: 3_000,
  weight: 1,
  open: async ({ slowMs }) => batchOf(fc.tuple(part, part), slowMs, shown),
};

function shown([left, right]: readonly [string, string]): void {
  const whole = sanitizeTerminal(left + right);
  const chunks = sanitizeTerminal(left) + sanitizeTerminal(right);
  for (const text of [whole, chunks]) {
    const found = rawControl(text);
    if (found !== null) throw new Error(`a terminal gets ${found}`);
  }
  if (sanitizeTerminal(whole) !== whole) throw new Error("a second pass finds more");
  const plain = left.replace(/[^\n\t -~\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff]/g, "");
  if (sanitizeTerminal(plain) !== plain) throw new Error("a plain text is changed");
}
