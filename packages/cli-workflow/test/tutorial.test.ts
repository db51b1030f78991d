import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf, comparable, documentText, pathWith, typedIn } from "./support/documents.js";
import { HAS_TERMINALS, showOn } from "./support/shown.js";
import { type Sandbox, sandbox } from "./support/uwf.js";

// Types docs/tutorial.md on a terminal, block by block: what a `console` block shows is what comes out, a `yaml` block is
// written to the file that the sentence above it names, and an `sh` block works. uwf-claude is a stand-in.

const TUTORIAL = documentText("docs/tutorial.md");
const HOME = "/home/kim";

let box: Sandbox;
/** Where the reader is by now. */
let folder = "";
/** Everything that was shown, for the ids in it. */
let seen = "";

beforeAll(() => {
  box = sandbox();
  folder = box.cwd;
  const mock = 'exec uwf-mock --scenario .workflows/release-note.scenario.yaml "$@"';
  chmodSync(box.write("bin/uwf-claude", `#!/bin/sh\n${mock}\n`), 0o755);
});

/** What the terminal shows, with the reader's folders; `folder` follows a `cd`. */
async function type(command: string): Promise<string> {
  const env = {
    PATH: `${pathWith(join(box.cwd, "bin"))}:${box.environment.PATH}`,
    UNCAGED_WORKFLOW_STORAGE_ROOT: "",
  };
  const shown = await showOn({ ...box, cwd: folder }, `${command}\ncode=$?; echo "FOLDER=$PWD"; exit $code`, {
    columns: 100,
    env,
  });
  folder = shown.raw.match(/^FOLDER=(.*?)\r?$/m)?.[1] ?? folder;
  const lines = shown.lines.filter((line) => !line.startsWith("FOLDER="));
  const text = lines.join("\n").replaceAll(box.cwd, HOME).replaceAll(box.home, HOME);
  seen += text;
  return text;
}

const sizes = (text: string): string => text.replace(/\d+ KiB/g, "<size>");

describe.skipIf(!HAS_TERMINALS)("docs/tutorial.md", () => {
  const blocks = blocksOf(TUTORIAL);
  const steps = blocks.map((block, index) => [`${index + 1}: ${block.text.split("\n")[0]}`, block] as const);

  it("consists of commands, what they show, and files", () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["console", "yaml", "sh"]));
    expect(blocks.length).toBeGreaterThan(15);
  });

  it.each(steps)("block %s", async (_, { language, text, before }) => {
    if (language === "yaml") {
      const file = /`([^`]+)`:$/.exec(before)?.[1] ?? "";
      expect(file).not.toBe("");
      const path = resolve(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return;
    }
    if (language === "sh") {
      expect(await type(text.trimEnd())).not.toMatch(/^error\[/m);
      return;
    }
    for (const { command, shown } of typedIn(text)) {
      const printed = await type(command);
      expect(sizes(comparable(printed, seen)), command).toBe(sizes(comparable(shown, TUTORIAL)));
    }
  });
});
