import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { FAULTS, PROBLEMS } from "../../src/index.js";

const file = resolve(import.meta.dirname, "../../../../docs/errors.md");

function documentedRows(): { code: string; exit: string; retry: string }[] {
  const rows = readFileSync(file, "utf8").matchAll(/^\| `([A-Z_]+)` \| ([\d, ]+) \| (yes|no|by reason) \|/gm);
  return [...rows].map(([, code = "", exit = "", retry = ""]) => ({ code, exit, retry }));
}

/** Exit codes that depend on the fault's fields. */
const OF_FIELDS: Readonly<Record<string, string>> = {
  INTERRUPTED: "129, 130, 143",
  WORKER_UNFIT: "1, 4, 6, 7, 74",
};

it("docs/errors.md lists every code of the fault table with its exit code, in the table's order", () => {
  const expected = Object.entries(FAULTS).map(([code, row]) => ({
    code,
    exit: typeof row.exit === "number" ? String(row.exit) : OF_FIELDS[code],
    retry: typeof row.retryable === "boolean" ? (row.retryable ? "yes" : "no") : "by reason",
  }));
  expect(documentedRows()).toEqual(expected);
});

it("docs/errors.md names every kind of problem in a file, in the table's order", () => {
  const [, section = ""] = readFileSync(file, "utf8").split("## Problems in a file");
  const rows = [...section.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm)].map(([, codes = ""]) => codes);
  expect(rows.flatMap((codes) => codes.replaceAll("`", "").split(", "))).toEqual(Object.keys(PROBLEMS));
});
