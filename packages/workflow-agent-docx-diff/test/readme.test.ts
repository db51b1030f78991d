import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileOf, heading, paragraph, table } from "../../workflow-docx/test/support/document.js";
import { folder, run } from "./support/run.js";

const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const shell = [...README.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

/** The documents of the sample. */
function plan(): string {
  const cwd = folder();
  const end =
    heading("Staff") +
    paragraph("Ann leads.") +
    paragraph("Bob writes.") +
    paragraph("Carla keeps the books");
  const written = (euros: string, trips: string, meals: string, amount: string, more: string): Uint8Array =>
    fileOf(
      heading("Annual plan") +
        heading("Budget", 2) +
        paragraph(`The budget for travel is ${euros} euros. It covers ${trips} trips to partners.`) +
        meals +
        table([
          ["Item", "Amount"],
          ["Trips", amount],
        ]) +
        end +
        more,
    );
  const meals = paragraph("Meals are paid up to 30 euros a day.");
  writeFileSync(join(cwd, "old.docx"), written("2,800", "three", meals, "1,800", ""));
  const dan = paragraph("Dan answers the phone");
  writeFileSync(join(cwd, "new.docx"), written("3,000", "four", "", "2,000", dan));
  return cwd;
}

describe("the README", () => {
  it("shows what docx-diff prints", () => {
    const [, sample] = /^```\n(Budget\n[\s\S]*?)^```$/m.exec(README) ?? [];
    expect(run("sh", ["-c", shell[0] ?? ""], { cwd: plan() })).toEqual({
      code: 1,
      stdout: sample,
      stderr: "",
    });
  });

  it("shows lines that work as typed", () => {
    const cwd = plan();
    const lines = (shell[1] ?? "").trim().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(run("sh", ["-c", line], { cwd })).toMatchObject({ code: 1, stderr: "" });
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(["changes.docx", "changes.html"]));
  });

  it("makes git show what differs", () => {
    const cwd = plan();
    const git = "git init -q; mv new.docx later; mv old.docx plan.docx; git add plan.docx";
    const commit = "git -c user.name=A -c user.email=a@b commit -qm plan; mv later plan.docx";
    const ran = run(
      "sh",
      ["-ec", `${git}; ${commit}; ${shell[2]?.replace("git diff\n", "git --no-pager diff\n")}`],
      { cwd },
    );
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("  3: The budget for travel is [-2,800-]{+3,000+} euros.");
  });
});
