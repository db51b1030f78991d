import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const ORIGINAL = resolve(import.meta.dirname, "../../../json-cas/test/fixtures/store-0.4");

const STEP = "F03Q15Q1S6ZR4";

it("doctor names a store of the original program, and its fix takes the nodes over into a new root", async () => {
  const box = sandbox();
  cpSync(join(ORIGINAL, "cas"), join(box.root, "cas"), { recursive: true });
  const { findings } = await box.json<{
    readonly findings: readonly { readonly check: string; readonly message: string; readonly fix: string }[];
  }>(["doctor"]);
  const found = findings.find(({ check }) => check === "format");
  expect(found?.message).toContain("the store was written by json-cas 0.4");
  const [, command = ""] = /`uwf (cas import [^`]*)`/.exec(found?.fix ?? "") ?? [];
  const fresh = sandbox();
  const taken = await fresh.uwf(command.split(" "));
  expect(JSON.parse(taken.stdout)).toMatchObject({ taken: 28 });
  expect(taken.stderr).toContain("its nodes can be read now");
  expect(taken.stderr).toContain("its threads do not go on");
  expect(await fresh.json(["cas", "has", "120VN86QG7052"])).toEqual({ exists: true });
  expect((await fresh.uwf(["doctor"])).stdout).not.toContain("was written by");
});

describe("a storage root of the original uwf", () => {
  const older = (): Sandbox => {
    const box = sandbox();
    cpSync(ORIGINAL, box.root, { recursive: true });
    return box;
  };

  it("is one sentence in every command that works in it, and stays as it is", async () => {
    const box = older();
    const before = box.snapshot();
    const file = box.write("turns.yaml", TURNS);
    const thread = JSON.parse(readFileSync(join(ORIGINAL, "history.jsonl"), "utf8")).thread;
    const lines = [
      ...["show", "read", "steps", "step", "run", "next", "kill", "usage", "answer", "note"].map(
        (verb) => `thread ${verb} ${thread}`,
      ),
      ...["thread list", "thread list --all", "thread list --tree", "thread ps", `thread fork ${STEP}`],
      ...[
        "workflow list",
        "workflow show solve-issue",
        `workflow put ${file}`,
        "workflow history solve-issue",
      ],
      ...["thread start solve-issue -p x", "run solve-issue -p x --agent true", "report -o out", "log"],
      ...["setup --agent uwf-claude", "cas gc", "cas gc --yes", "cas du"],
    ].map((line) => (line.startsWith("thread note") ? `${line} hello` : line));
    for (const line of lines) {
      const ran = await box.uwf(line.split(" "));
      expect({ line, code: ran.code, stdout: ran.stdout }).toEqual({ line, code: 4, stdout: "" });
      expect(ran.stderr, line).toMatch(
        /^error\[OLDER_ROOT\]: .* was written by the original uwf .*\nhint: .*\n$/,
      );
    }
    const doctor = await box.uwf(["doctor"]);
    expect({ code: doctor.code, said: doctor.stdout.includes("was written by the original uwf") }).toEqual({
      code: 4,
      said: true,
    });
    expect(box.snapshot()).toEqual(before);
  });

  it("has nodes that can be read where they are", async () => {
    const box = older();
    expect(await box.json(["cas", "has", STEP])).toEqual({ exists: true });
    expect((await box.json(["cas", "get", STEP])).payload).toMatchObject({ role: "reviewer" });
    expect((await box.json(["cas", "list"])).hashes).toHaveLength(28);
    expect(JSON.parse((await box.uwf(["cas", "verify"])).stdout)).toMatchObject({
      nodes: 28,
      writtenBy: "json-cas 0.4",
    });
  });

  it("whose nodes are in a root of ours says that they are another uwf's, and not that a Workflow is none", async () => {
    const box = sandbox();
    await box.json(["cas", "import", "--from-root", ORIGINAL]);
    const shown = await box.uwf(["workflow", "show", "CXH1MA0XS9ZR0"]);
    expect(shown.code).toBe(4);
    expect(shown.stderr).toContain("is a Workflow of another uwf, not a Workflow");
    const forked = await box.uwf(["thread", "fork", STEP]);
    expect(forked.stderr).toContain("is a StepNode of another uwf, not a StartNode or StepNode");
  });
});
