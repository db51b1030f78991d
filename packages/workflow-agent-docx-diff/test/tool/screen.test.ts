import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folder, run } from "../support/run.js";

/** On a terminal so wide; what it shows, without the terminal's CR. */
function shown(columns: number, env: Readonly<Record<string, string>> = {}): string {
  const line = `stty cols ${columns} rows 50; docx-diff old.docx new.docx`;
  const ran = run("sh", ["-c", 'exec script -qec "$0" /dev/null', line], {
    cwd: folder(),
    env: { SHELL: "/bin/sh", TERM: "xterm", ...env },
  });
  return ran.stdout.replaceAll("\r", "");
}

describe.runIf(existsSync("/usr/bin/script"))("on a terminal, docx-diff", () => {
  it("shows what is gone in red and what has come in green", () => {
    expect(shown(100)).toBe(
      [
        "\u001b[1mFruit\u001b[22m",
        "\u001b[2m     2\u001b[22m  We have \u001b[31m\u001b[9mthree\u001b[29m\u001b[39m\u001b[32mfour\u001b[39m apples for \u001b[31m\u001b[9m2,800\u001b[29m\u001b[39m\u001b[32m3,000\u001b[39m euros.",
        "\u001b[2m old 3\u001b[22m  \u001b[31m\u001b[9mPears are out.\u001b[29m\u001b[39m",
        "\u001b[2m     3\u001b[22m  Bob | \u001b[31m\u001b[9m2,000\u001b[29m\u001b[39m\u001b[32m2,500\u001b[39m",
        "",
        "\u001b[1mStaff\u001b[22m",
        "\u001b[2m     6\u001b[22m  \u001b[32mDan joins.\u001b[39m",
        "",
        "\u001b[2m2 blocks changed, 1 inserted, 1 deleted\u001b[22m",
        "",
      ].join("\n"),
    );
  });

  it("uses marks without colours, and lines no longer than a narrow terminal", () => {
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const text = shown(40, env);
      expect(text).toBe(
        [
          "Fruit",
          "     2  We have [-three-]{+four+} apples",
          "        for [-2,800-]{+3,000+} euros.",
          " old 3  [-Pears are out.-]",
          "     3  Bob | [-2,000-]{+2,500+}",
          "",
          "Staff",
          "     6  {+Dan joins.+}",
          "",
          "2 blocks changed, 1 inserted, 1 deleted",
          "",
        ].join("\n"),
      );
    }
  });

  it("does not write a document to the terminal", () => {
    const line = "docx-diff old.docx new.docx --output docx; echo $?";
    const ran = run("sh", ["-c", 'exec script -qec "$0" /dev/null', line], { cwd: folder() });
    expect(ran.stdout).toContain("name a file for it with --out-file");
    expect(ran.stdout.trim().endsWith("2")).toBe(true);
  });
});
