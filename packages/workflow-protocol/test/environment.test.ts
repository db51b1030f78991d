import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { VARIABLES } from "../src/index.js";

const packages = resolve(import.meta.dirname, "../..");

/** It knows no package of uwf. */
const WITHOUT_TABLE = "cli-json-cas";

const ALL = Object.values(VARIABLES).map(({ name }) => name);

/** `env.UWF_RUN`, `env["UWF_RUN"]`, and a constant `= "UWF_RUN"`. */
const BY_HAND = new RegExp(`(?:\\benv(?:\\.|\\[["'])|= ["'])(?:${ALL.join("|")})\\b`);

describe("the table of environment variables", () => {
  it("has each name once", () => {
    expect(ALL.filter((name, index) => ALL.indexOf(name) !== index)).toEqual([]);
  });

  it("is where every source takes a variable's name from", () => {
    const named = readdirSync(packages)
      .filter((name) => name !== WITHOUT_TABLE && name !== "faults")
      .flatMap((name) => sourcesOf(join(packages, name, "src")))
      .filter((file) => !file.endsWith("workflow-protocol/src/environment.ts"))
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .flatMap((line, index) => (BY_HAND.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
      );
    expect(named).toEqual([]);
  });
});

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file));
}
