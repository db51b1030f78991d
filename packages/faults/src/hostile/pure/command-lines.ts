import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Host, main } from "@uncaged/cli-workflow";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { mannersOf } from "../manners/index.js";
import { hashLike, nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import type { Subject } from "./types.js";
import { COMMANDS, OPTIONS } from "./vocabulary.js";

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
function hostIn({ stdin, cwd, root }: Cage, said: { stdout: string; stderr: string }): Host {
  let now = 1_700_000_000_000;
  const sink = (stream: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[stream] += text;
    },
    isTerminal: () => false,
    isClosed: () => false,
  });
  return {
    env: { PATH: "", HOME: cwd, UNCAGED_WORKFLOW_STORAGE_ROOT: root, UWF_DEBUG: "1" },
    cwd,
    now: () => (now += 1),
    pid: process.pid,
    runtime: { name: "node", version: "20.19.0" },
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    newToken: () => "token",
    readStdin: () => Buffer.from(stdin),
    stdinIsTerminal: () => false,
    onSignal: () => () => {},
    kill: () => false,
    sleep: async () => {},
  };
}
