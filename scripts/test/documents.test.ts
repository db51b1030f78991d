import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CODING_AGENTS, withCodingAgents } from "../coding-agents.js";
import { isLeftOut } from "./support/run.js";

const ROOT = resolve(import.meta.dirname, "../..");

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

it("docs/agents.md has the table of coding agents as their adapters are", () => {
  const text = read("docs/agents.md");
  expect(withCodingAgents(text)).toBe(text);
  for (const { name, tried } of CODING_AGENTS) {
    expect(text).toContain(`| \`uwf-${name}\` |`);
    if (tried !== null) expect(text).toContain(`${tried.package} ${tried.version}`);
  }
});

describe("docs/decisions.md", () => {
  const MOST_WORDS = 80;
  const [, ...sections] = read("docs/decisions.md").split(/^## /m);
  const decisions = sections.flatMap((section) => section.split(/^### /m).slice(1));
  const headings = decisions.map((decision) => decision.split("\n")[0]);

  /** Words below the heading; rows of a table do not count. */
  function words(decision: string): number {
    const [, ...lines] = decision.split("\n");
    const text = lines.filter((line) => !line.startsWith("|")).join(" ");
    return text.split(/\s+/).filter((word) => word !== "").length;
  }

  it("has only those that somebody might reopen: fifty at most", () => {
    expect(decisions.length).toBeGreaterThan(20);
    expect(decisions.length).toBeLessThanOrEqual(50);
  });

  it("has no text outside of a decision", () => {
    const texts = sections.map((section) => section.split(/^### /m)[0]?.split("\n").slice(1).join("").trim());
    expect(texts.filter((text) => text !== "")).toEqual([]);
  });

  it(`gives each decision a reason of at most ${MOST_WORDS} words`, () => {
    const counted = decisions.map((decision, i) => ({ heading: headings[i], words: words(decision) }));
    expect(counted.filter((decision) => decision.words === 0 || decision.words > MOST_WORDS)).toEqual([]);
  });

  it("has no heading twice", () => expect(headings).toEqual([...new Set(headings)]));
});

describe("docs/dictionary.md", () => {
  const words = [...read("docs/dictionary.md").matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(
    ([, word = ""]) => word,
  );
  const files = ["docs", ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/src`)]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /\.(md|ts)$/.test(file) && file !== "docs/dictionary.md");
  const text = files.map(read).join("\n");

  it("is read by this test", () => expect(words.length).toBeGreaterThan(20));

  it("has no word twice", () => expect(words).toEqual([...new Set(words)]));

  it.each(words)("defines a word that is used elsewhere: %s", (word) => {
    expect(text).toMatch(new RegExp(`\\b${word}s?\\b`, "i"));
  });
});

describe("docs/architecture.md", () => {
  const links = [...read("docs/architecture.md").matchAll(/\[`(\w+)`\]\(\.\.\/([^)]+)\)/g)].map(
    ([, name = "", file = ""]) => ({ name, file }),
  );
  const text = read("docs/architecture.md");

  it("follows a step through more than twenty functions", () => expect(links.length).toBeGreaterThan(20));

  it("numbers ten stages, in the order in which `step` calls them", () => {
    const stages = [...text.matchAll(/^(\d+)\. \*\*(\w+)\.\*\*/gm)].map(
      ([, number, name]) => `${number} ${name}`,
    );
    expect(stages).toEqual(
      ["Parse", "Claim", "Linearise", "Decide", "Plan", "Run", "Verify", "Advance", "Finish", "Print"].map(
        (name, index) => `${index + 1} ${name}`,
      ),
    );
    const body =
      read("packages/workflow-engine/src/step/step.ts").split("export async function step")[1] ?? "";
    const calls = ["claim(", "linearise(", "decide(", "plan(", "runAgent(", "advance(", "finish("];
    const places = calls.map((call) => body.indexOf(call));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  it.each(links.filter(({ file }) => !isLeftOut(file)))(
    "links $file, which exports $name",
    ({ name, file }) => {
      expect(read(file)).toMatch(new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, "m"));
    },
  );
});

it.each(readdirSync(join(ROOT, "packages")))("docs/architecture.md lists the package %s", (name) => {
  expect(read("docs/architecture.md")).toMatch(new RegExp(`^${name} +\\S.+$`, "m"));
});
