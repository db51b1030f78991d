import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { optionName } from "@uncaged/command-line";
import fc from "fast-check";
import { expect, it } from "vitest";
import { corpus, hashLike, nastyText } from "../../../json-cas/test/support/nasty.js";
import { WORDS } from "../../src/words.made.js";
import { mannersOf } from "../support/manners.js";
import { sandbox } from "../support/uwf.js";

/** They wait for people, other threads or a database, or draw until they are ended. */
const WAITING = new Set(["ui", "worker", "thread live"]);

const COMMANDS = ["", "nonsense", "__proto__", "thread", "cas schema", "help exit-codes"].concat(
  Object.keys(WORDS).filter((path) => !WAITING.has(path)),
);

/** `--follow` waits; an agent or an editor would be a program, and a remote an address: these get harmless values below. */
const PASSED_OVER = new Set(["follow", "agent", "baseUrl"]);

const NAMED = Object.values(WORDS).flatMap(({ options }) =>
  Object.entries(options)
    .filter(([name]) => !PASSED_OVER.has(name))
    .map(([key, words]) => ({ name: optionName(key, words), takesValue: words.placeholder !== null })),
);

/** No slash that leads anywhere: what a path may do is said by tests with files that tell who was there. */
const word = fc
  .oneof(
    nastyText,
    hashLike,
    fc.constantFrom(...corpus("paths"), "file.yaml", "file.json", "-", "", "0", "1", "-1", "1e9", "NaN"),
  )
  .map((text) => text.replaceAll("/", "").replaceAll("..", "."))
  .filter((text) => !text.includes("\0"));

const option = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMED), word, fc.boolean())
      .map(([{ name, takesValue }, value, joined]) =>
        takesValue ? (joined ? [`${name}=${value}`] : [name, value]) : [name],
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ["--agent", "no-such-agent --x"],
      ["--agent", "'"],
      ["--format", "yaml"],
      ["--error-format", "json"],
      ["--no-such-option"],
      ["--__proto__"],
      ["-xyz"],
      ["--"],
      ["-h"],
    ),
  },
);

const line = fc
  .tuple(fc.constantFrom(...COMMANDS), fc.array(fc.oneof(word, option), { maxLength: 5 }), fc.boolean(), word)
  .map(([command, rest, scramble, first]) => {
    const words = command.split(" ").filter((each) => each !== "");
    return scramble
      ? [...rest.slice(0, 2).flat(), ...words, ...rest.slice(2).flat()]
      : [...words, first, ...rest.flat()];
  });

it("any words after uwf are understood, or refused with an exit code, a sentence and a hint", async () => {
  const box = sandbox();
  const cwd = join(box.cwd, "a/b/c");
  mkdirSync(cwd, { recursive: true });
  const env = { EDITOR: "true", VISUAL: "", BROWSER: "true" };
  const judge = async (words: readonly string[], stdin: string): Promise<void> => {
    const ran = await box.uwf(words, { cwd, stdin, env });
    expect(mannersOf(words, ran), JSON.stringify(words)).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(line, fc.oneof(word, fc.constant("{}")), judge), { numRuns: 200 });
});
