import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { isLeftOut } from "./support/run.js";

const ROOT = resolve(import.meta.dirname, "../..");

/** `file "words" "more words"` in the last cell of a row. */
const SHOWN = /((?:packages|scripts)\/[\w./-]+\.test\.ts)((?:,? ?"[^"]+")+)/g;

const rows = readFileSync(join(ROOT, "docs/security.md"), "utf8")
  .split("\n")
  .filter((line, at, all) => line.startsWith("| ") && all[at + 1]?.startsWith("|---") !== true);

it("docs/security.md has many rows", () => expect(rows.length).toBeGreaterThan(25));

it.each(rows)("docs/security.md names a test that is there: %s", (row) => {
  const cell = row.split("|").at(-2) ?? "";
  const shown = [...cell.matchAll(SHOWN)];
  expect(shown.length).toBeGreaterThan(0);
  // Nothing in the cell is left over: a name that is misspelt would not be looked for.
  expect(cell.replace(SHOWN, "").replaceAll(/[;,\s]/g, "")).toBe("");
  for (const [, file = "", words = ""] of shown) {
    if (isLeftOut(file)) continue;
    expect(existsSync(join(ROOT, file)) ? file : `${file} is missing`).toBe(file);
    const text = readFileSync(join(ROOT, file), "utf8");
    for (const [, title = ""] of words.matchAll(/"([^"]+)"/g)) {
      const isThere = text.split("\n").some((line) => /["'`]/.test(line) && line.includes(title));
      expect([file, title, isThere]).toEqual([file, title, true]);
    }
  }
});

const acts = rows.filter((row) => row.split("|").length === 7);

it("docs/security.md has many acts", () => expect(acts.length).toBeGreaterThan(20));

it.each(acts)("docs/security.md names code that is there: %s", (row) => {
  const files = [...(row.split("|")[4] ?? "").matchAll(/`([^`*]+)`/g)].map(([, file = ""]) => file);
  expect(
    files.filter((file) => !isLeftOut(`packages/${file}`) && !existsSync(join(ROOT, "packages", file))),
  ).toEqual([]);
});
