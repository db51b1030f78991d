import { join } from "node:path";
import { expect, it } from "vitest";
import { blocksOf, documentText, pathWith, typedIn } from "./support/documents.js";
import { PAGE_EXITS } from "./support/pages.js";
import { showOn } from "./support/shown.js";
import { MOCK, sandbox } from "./support/uwf.js";

// The complete map of docs/guide.md: its files are written as the sentences above them name them, its commands are typed.

const [, section = ""] = documentText("docs/guide.md").split("## Workflows of workflows\n");
const BLOCKS = blocksOf(section.split("\n## ")[0] ?? "");
const FILES = BLOCKS.flatMap(({ before, text }) => {
  const file = /`([^`]+\.yaml)`:$/.exec(before)?.[1];
  return file === undefined ? [] : [[file, text] as const];
});

it("the map of docs/guide.md works as it stands", async () => {
  expect(FILES.map(([file]) => file)).toEqual([
    ".workflows/review-file.yaml",
    ".workflows/review-files.yaml",
  ]);
  const box = sandbox();
  for (const [file, text] of FILES) box.write(file, text);
  const reply = (header: string): string => `---\n${header}\n---\n`;
  const scenario = box.write(
    "scenario.json",
    JSON.stringify({
      roles: {
        planner: [{ reply: reply("files: [src/a.ts, src/b.ts, src/c.ts]") }],
        reviewer: [{ reply: reply("file: one of them\nmistakes: 2") }],
      },
    }),
  );
  await box.json(["setup", "--agent", `'${MOCK}' --scenario '${scenario}'`]);
  const commands = BLOCKS.find(({ language }) => language === "console")?.text ?? "";
  const line = ["set -e", ...typedIn(commands).map(({ command }) => command)].join("; ");
  const { code, lines } = showOn(box, line, {
    env: { PATH: `${pathWith(join(box.cwd, "bin"))}:${box.environment.PATH}` },
  });
  const said = lines.join("\n");
  expect(code, said).toBe(0);
  const { steps } = await box.json(["thread", "steps", "latest"]);
  expect(steps.at(-1)?.output).toMatchObject({
    count: 3,
    results: Array(3).fill({ file: "one of them", mistakes: 2 }),
  });
  for (const item of [1, 2, 3]) expect(said).toContain(`review-file as reviewer ${item}: ended`);
  const list = await box.uwf(["thread", "list", "--all", "--format", "text"]);
  expect(list.stdout).toContain("item 2 of 3: src/b.ts");
});

it("the table of commands in docs/guide.md has every command", () => {
  const [, commands = ""] = documentText("docs/guide.md").split("\n## Commands\n");
  const [table = ""] = commands.split("\n## ");
  // The commands of the store stand in one row.
  const store = /^\| `uwf cas <command>` \|.*$/m.exec(table)?.[0] ?? "";
  const missing = Object.keys(PAGE_EXITS).filter((name) => {
    const [group, word = ""] = name.split(" ");
    const isInStore = group === "cas" && new RegExp(`\\b${word}\\b`).test(store);
    return !isInStore && !new RegExp(`uwf ${name}\\b`).test(table);
  });
  expect(missing).toEqual([]);
});
