import { appendFileSync, readdirSync, readFileSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES, MOCK, nodeFile, sandbox } from "../support/uwf.js";

// A store as an older version, which did not follow references, may have left it: the planner's first phase is gone.

async function hit() {
  const box = sandbox();
  const agent = `'${MOCK}' --scenario '${join(EXAMPLES, "develop.scenario.yaml")}'`;
  await box.json(["workflow", "put", join(EXAMPLES, "develop.yaml")]);
  const { thread } = await box.json(["thread", "start", "develop", "-p", "Reports as CSV"]);
  await box.json(["thread", "step", thread, "--agent", agent]);
  const { steps } = await box.json(["thread", "steps", thread]);
  const step = steps[1];
  const [phase] = (step?.output.phases ?? []) as readonly { readonly hash: string }[];
  const gone = phase?.hash ?? "";
  unlinkSync(nodeFile(box, gone));
  return { box, thread, step: step?.hash ?? "", gone, agent };
}

const FIELD = "output/phases/0/hash";

type Problems = { readonly problems: readonly { readonly places?: readonly unknown[] }[] };

describe("a step that refers to nothing", () => {
  it.each([["gc"], ["verify"]])("is named by uwf cas %s: thread, step, role and field", async (verb) => {
    const { box, thread, step, gone } = await hit();
    const ran = await box.uwf(["cas", verb]);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain(gone);
    expect(ran.stderr).toContain("/phases/0/hash");
    expect(ran.stderr).toContain(`thread ${thread}, step ${step} (planner), field ${FIELD}`);
    const { problems } = JSON.parse(ran.stdout) as Problems;
    expect(problems[0]?.places).toEqual([{ thread, step, role: "planner", field: FIELD }]);
  });

  it("no longer blocks gc if --accept-missing names the node, as gc and doctor say", async () => {
    const { box, thread, step, gone } = await hit();
    const { hash: garbage } = await box.json(["cas", "put-text", "nobody refers to this"]);
    for (const name of readdirSync(join(box.root, "cas")).filter((each) => each.endsWith(".bin")))
      utimesSync(join(box.root, "cas", name), 1e9, 1e9);
    const refused = await box.uwf(["cas", "gc", "--yes"]);
    expect(refused.code).toBe(7);
    const [, command = ""] = /`uwf (cas gc[^`]*)`/.exec(refused.stderr) ?? [];
    expect(command).toBe(`cas gc --accept-missing ${gone}`);
    expect(await box.json(command.split(" "))).toMatchObject({ refused: false, garbage: 1 });
    const ran = await box.json([...command.split(" "), "--yes"]);
    expect(ran).toMatchObject({ removed: 1, problems: [] });
    expect((await box.uwf(["cas", "has", garbage])).code).toBe(3);

    const checked = await box.uwf(["doctor"]);
    expect(checked.code).toBe(7);
    const { findings } = JSON.parse(checked.stdout) as {
      readonly findings: readonly {
        readonly check: string;
        readonly message: string;
        readonly fix: string;
      }[];
    };
    const found = findings.find(({ check }) => check === "references");
    expect(found?.message).toBe(
      `field ${FIELD} of step ${step} (planner) of thread ${thread} refers to ${gone}, which does not exist`,
    );
    expect(found?.fix).toContain(`\`uwf ${command}\``);
  });

  it.each([
    [
      "a refused reply's hash on stderr",
      (step: string) => ({ stderr: `stored ${step.toLowerCase()}, refused` }),
    ],
    [
      "the step that a failed run has printed",
      (step: string) => ({ stdout: `${step}\n`, outcome: "failed" }),
    ],
  ])("stops no gc once only a log leads there: %s", async (_name, line) => {
    const { box, thread, step, gone } = await hit();
    await box.json(["thread", "kill", thread]);
    await box.json(["thread", "rm", thread]);
    const { thread: other } = await box.json(["thread", "start", "develop", "-p", "Another"]);
    await box.json(["cas", "put-text", "garbage"]);
    for (const name of readdirSync(join(box.root, "cas")).filter((each) => each.endsWith(".bin")))
      utimesSync(join(box.root, "cas", name), 1e9, 1e9);
    box.write(
      join(box.root, "logs/2026-01-01.jsonl"),
      `${JSON.stringify({ tag: "X", thread: other, ...line(step) })}\n`,
    );
    const ran = await box.uwf(["cas", "gc", "--yes"]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ refused: false, problems: [{ hash: gone }] });
    expect(JSON.parse(ran.stdout).removed).toBeGreaterThan(0);
    expect(ran.stderr).toContain(`node ${gone} does not exist`);
    expect(ran.stderr).toContain(`2026-01-01.jsonl, about thread ${other} leads there; gc goes on`);
    expect((await box.uwf(["cas", "has", step])).code).toBe(0);
  });

  it.each([["0123"], ["nonsense"]])("takes whole hashes after --accept-missing, not %j", async (text) => {
    const { box } = await hit();
    const ran = await box.uwf(["cas", "gc", "--accept-missing", text]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`"${text}" is not a hash`);
  });

  it("stops an export, which says whose reference it is", async () => {
    const { box, thread, step } = await hit();
    const ran = await box.uwf(["cas", "export", thread, "-o", "backup.jsonl"]);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain(`thread ${thread}, step ${step} (planner), field ${FIELD}`);
    expect(readdirSync(box.cwd)).toEqual([]);
  });

  it("does not stop its thread: it is read, and goes on, and refers to it no more", async () => {
    const { box, thread, step, agent } = await hit();
    expect((await box.uwf(["thread", "read", thread, "--detail"])).code).toBe(0);
    expect((await box.uwf(["thread", "step-details", step])).code).toBe(0);
    // The scenario's coder stores the same text again, and so brings the node back.
    await box.json(["thread", "step", thread, "--agent", agent]);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });
});

describe("a step whose session has lost a text", () => {
  it.each([
    ["is gone", (file: string) => unlinkSync(file)],
    ["is damaged", (file: string) => appendFileSync(file, "x")],
  ])("is shown with the rest, and what %s is said", async (what, hurt) => {
    const { box, thread, step } = await hit();
    const details = JSON.parse((await box.uwf(["cas", "get", step])).stdout).payload.detail;
    const { raw } = JSON.parse((await box.uwf(["cas", "get", details])).stdout).payload;
    hurt(nodeFile(box, raw));
    const shown = await box.uwf(["thread", "step-details", step, "--format", "json"]);
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      agent: "uwf-mock",
      raw: { missing: raw },
      prompt: { text: "" },
    });
    expect(shown.stderr).toContain(`step ${step} is shown without node ${raw}`);
    const read = await box.uwf(["thread", "read", thread, "--detail"]);
    expect(read.code).toBe(0);
    expect(read.stdout).toContain(`(The text of this reply, node ${raw}, ${what}.)`);
    expect(read.stdout).toContain("Reports as CSV");
    expect(readFileSync(join(box.root, "threads.yaml"), "utf8")).toContain(step);
  });
});
