import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesMatching } from "../../src/files.js";
import { makeThread, play, stepOf, type TestThread } from "../helpers.js";

const REF = { type: "string", format: "cas_ref" } as const;

let made: TestThread;
let folder: string;

beforeEach(async () => {
  made = await makeThread({
    builder: {
      type: "object",
      properties: {
        ok: { type: "boolean" },
        report: REF,
        logs: { anyOf: [{ type: "array", items: REF }, { type: "null" }] },
      },
    },
  });
  folder = mkdtempSync(join(tmpdir(), "uwf-artifacts-"));
});

afterEach(() => {
  made.remove();
  rmSync(folder, { recursive: true, force: true });
});

function build(artifacts: readonly string[], script: string) {
  const words = artifacts.flatMap((artifact) => ["--artifact", artifact]);
  return play(made, "builder", [...words, "--cwd", folder, "--", "sh", "-c", script]);
}

const nameOf = (hash: unknown) =>
  (made.storage.cas.get(hash as Hash)?.payload as { readonly name: string } | undefined)?.name;

describe("--artifact", () => {
  it("stores the one file that matches, or all of them for a list", async () => {
    const played = await build(
      ["report=out/*.html", "logs=out/**/*.log"],
      "mkdir -p out/deep; echo r > out/r.html; echo 1 > out/1.log; echo 2 > out/deep/2.log",
    );
    const { output } = stepOf(made, played);
    expect(nameOf(output.report)).toBe("r.html");
    expect((output.logs as readonly string[]).map(nameOf)).toEqual(["1.log", "2.log"]);
  });

  it("fails if no file matches, or more than one where one is asked for", async () => {
    const none = await build(["report=out/*.html"], "true");
    expect(none.code).toBe(6);
    expect(none.err).toContain("no file matches out/*.html, which --artifact report asks for");
    const two = await build(["report=*.html"], "echo 1 > a.html; echo 2 > b.html");
    expect(two.code).toBe(6);
    expect(two.err).toContain("2 files match *.html, and report takes one: ./a.html, ./b.html");
  });

  it("leaves the field out if the command failed and made none", async () => {
    const { output } = stepOf(made, await build(["report=*.html"], "exit 1"));
    expect(output).toEqual({ ok: false });
  });

  it.each(["other", "ok"])(
    "is refused before the command runs: no reference in the field %s",
    async (field) => {
      const played = await build([`${field}=*.html`], "echo ran > ran");
      expect(played.code).toBe(2);
      expect(played.err).toContain(
        `--artifact ${field}: the role has no such field with \`format: cas_ref\``,
      );
      expect(filesMatching(folder, "*")).toEqual([]);
    },
  );

  it("finds no link, nothing behind one, and nothing hidden unless it is named", () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real/a+b.txt"), "");
    writeFileSync(join(folder, ".env"), "");
    symlinkSync("real", join(folder, "linked"));
    symlinkSync("real/a+b.txt", join(folder, "link.txt"));
    expect(filesMatching(folder, "**/*")).toEqual(["real/a+b.txt"]);
    expect(filesMatching(folder, "**")).toEqual(["real/a+b.txt"]);
    expect(filesMatching(folder, "./real/a+?.txt")).toEqual(["real/a+b.txt"]);
    expect(filesMatching(folder, ".env")).toEqual([".env"]);
    expect(filesMatching(folder, "none/*.txt")).toEqual([]);
  });
});
