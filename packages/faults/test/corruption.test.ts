import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAnswer, type Look, lookAt, touched } from "../src/corruption/answers.js";
import { corruption } from "../src/corruption/corruption.js";
import { areaOf, chooseDamage, type Damage, inflict } from "../src/corruption/damage.js";
import { buildLab, type Lab, type Question, restore } from "../src/corruption/lab.js";
import { randomOf, runKind } from "../src/frame.js";
import { inProcess, openWorld, type Ran } from "../src/world.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-corruption-"));
let lab: Lab;

beforeAll(async () => {
  mkdirSync(join(folder, "world"));
  const world = openWorld(join(folder, "world"), "node");
  lab = await buildLab(world, inProcess(world), false);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The whole store but for one file, of which this is left. */
function damaged(file: string, change: (text: string) => string): Look {
  const text = Buffer.from(lab.whole.get(file) ?? new Uint8Array()).toString("utf8");
  const damage: Damage = {
    how: "flip",
    area: areaOf(file),
    files: [file],
    after: new Map([[file, Buffer.from(change(text))]]),
  };
  restore(lab.world.root, lab.whole);
  inflict(lab.world.root, damage);
  return lookAt(lab, damage);
}

function question(name: string, subject: string | null = null): Question {
  const found = lab.questions.find(
    ({ args, subject: about }) => args[1] === name && (about?.name ?? null) === subject,
  );
  if (found === undefined) throw new Error(`nobody asks ${name} of ${subject}`);
  return found;
}

function said(look: Look, asked: Question, answer: Partial<Ran>): readonly string[] {
  const got = { code: 0, signal: null, stdout: "", stderr: "", ...answer };
  return judgeAnswer(look, asked, got).map(({ promise }) => promise);
}

const torn = (text: string): string => text.slice(0, -5);

function nodeOf(subject: string): string {
  return `cas/${lab.subjects.find(({ name }) => name === subject)?.head}.bin`;
}

describe("a damaged store", { timeout: 120_000 }, () => {
  it("answers as before or names the damage, and nothing of it is overwritten", async () => {
    const report = await runKind(corruption, 1, { level: "sample" });
    expect(report.violations).toEqual([]);
    expect(report.figures.damages).toBe(corruption.sampleRounds);
    expect(report.figures.commands).toBeGreaterThan(300);
    expect(report.figures["errors that named the damage"]).toBeGreaterThan(20);
    // Hashes depend on the clock, so that a seed does not hit the same files twice: of 12 areas 10 to 12 are usual.
    expect(
      Object.keys(report.figures).filter((name) => name.startsWith("damages of ")).length,
    ).toBeGreaterThan(5);
  });
});

describe("the judge of answers", () => {
  it("takes the answer of the whole store, and an error that names the file", () => {
    const look = damaged("threads.yaml", torn);
    const asked = question("show", "two");
    expect(said(look, asked, asked.answer)).toEqual([]);
    const stderr = `error[STORE_DAMAGED]: ${join(lab.world.root, "threads.yaml")}: …`;
    expect(said(look, asked, { code: 7, stderr })).toEqual([]);
  });

  it("finds a wrong answer that looks right", () => {
    const look = damaged("threads.yaml", torn);
    const asked = question("show", "two");
    const stdout = asked.answer.stdout.replace('"done": false', '"done": true');
    expect(said(look, asked, { stdout })).toEqual(["an answer is right, or an error"]);
    expect(said(look, question("list"), { stdout: "[]" })).toEqual(["an answer is right, or an error"]);
  });

  it("finds an error that does not name what is damaged, and a bug", () => {
    const look = damaged(nodeOf("two"), torn);
    const asked = question("steps", "two");
    expect(said(look, asked, { code: 7, stderr: "error[CHAIN_DAMAGED]" })).toEqual([
      "what is damaged is named",
    ]);
    expect(said(look, asked, { code: 3, stderr: look.damage.files[0] ?? "" })).toEqual(["damage is exit 7"]);
    const bug = { code: 1, stderr: "error[BUG]" };
    expect(said(look, asked, bug)).toEqual(["damage is an error with a code, never a bug"]);
  });

  it("finds an error about a thread that is not damaged", () => {
    const look = damaged(nodeOf("two"), torn);
    const asked = question("show", "killed");
    expect(said(look, asked, { code: 7, stderr: look.damage.files[0] ?? "" })).toEqual([
      "what is not damaged is answered as before",
    ]);
  });

  it("finds a list in which a damaged thread is not marked, or another one is missing", async () => {
    const look = damaged(nodeOf("one"), torn);
    const asked = question("list");
    const marked = await lab.uwf(asked.args);
    expect(said(look, asked, marked)).toEqual([]);
    const items: readonly { readonly error?: string }[] = JSON.parse(marked.stdout);
    expect(items.filter(({ error }) => error !== undefined)).toHaveLength(1);
    const short = items.filter(({ error }) => error === undefined);
    expect(said(look, asked, { stdout: JSON.stringify(short) })).toEqual(["an answer is right, or an error"]);
  });
});

describe("the check of the files afterwards", () => {
  it("finds a damaged file that was overwritten", () => {
    const look = damaged("threads.yaml", torn);
    expect(touched(look)).toEqual([]);
    writeFileSync(join(lab.world.root, "threads.yaml"), "{}\n");
    expect(touched(look).map(({ promise }) => promise)).toEqual(["nothing damaged is overwritten"]);
  });

  it("finds a missing file", () => {
    const look = damaged("threads.yaml", torn);
    rmSync(join(lab.world.root, nodeOf("killed")));
    expect(touched(look).map(({ promise }) => promise)).toEqual(["nothing whole is lost"]);
  });

  it("accepts a node that is written again only with its right content", () => {
    const file = nodeOf("two");
    const look = damaged(file, torn);
    writeFileSync(join(lab.world.root, file), lab.whole.get(file) ?? "");
    expect(touched(look)).toEqual([]);
    writeFileSync(join(lab.world.root, file), "something else");
    expect(touched(look).map(({ promise }) => promise)).toEqual(["nothing damaged is overwritten"]);
  });
});

describe("a damage", () => {
  it("changes every area of the store in time, and no file so that it stays what it was", () => {
    const random = randomOf(7);
    const damages = Array.from({ length: 400 }, () => chooseDamage(lab.whole, random));
    expect(new Set(damages.map(({ area }) => area)).size).toBe(
      new Set([...lab.whole.keys()].map(areaOf)).size,
    );
    for (const { after } of damages)
      for (const [file, bytes] of after) expect(bytes).not.toEqual(lab.whole.get(file));
  });
});
