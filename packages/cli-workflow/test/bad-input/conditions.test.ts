import { describe, expect, it } from "vitest";
import { RUNTIMES, sandbox } from "../support/uwf.js";
import { TURNS, zoo } from "../support/workflows.js";

// `workflow put` refuses what is wrong for certain; this is what it cannot know.
// A condition after the second step: the step is recorded, the decision fails with 5 and says so.

const CASES = [
  ["throws", '$number("x") = 1', "CONDITION_FAILED"],
  ["gives a string", "($f := function($s) { $s.role }; $f(steps[-1]))", "CONDITION_NOT_BOOLEAN"],
  ["gives nothing", "($f := function($s) { $s.missing }; $f(steps[-1]))", "CONDITION_NOT_BOOLEAN"],
  ["gives an array", "($f := function($s) { $s.role }; $f(steps))", "CONDITION_NOT_BOOLEAN"],
  ["recurses without end", "($f := function($x) { $f($x + 1) }; $f(1))", "CONDITION_FAILED"],
  ["builds a huge string", '$length($pad("x", 2000000000)) > 1', "CONDITION_FAILED"],
] as const;

describe("a condition that", () => {
  it.each(CASES)("%s exits 5 after the step is recorded", async (_case, expression, code) => {
    const box = sandbox();
    const workflow = TURNS.replace("steps[-1].output.approved = false", JSON.stringify(expression));
    await box.uwf(["workflow", "put", box.write("turns.yaml", workflow)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 5, stdout: "" });
    expect(ran.stderr).toContain(`error[${code}]`);
    expect(ran.stderr).toContain("rejected");
    const { head } = await box.json(["thread", "show", thread]);
    expect(ran.stderr).toContain(`recorded as ${head}`);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(3);
    const again = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(again.code).toBe(5);
    expect((await box.json(["thread", "show", thread])).head).toBe(head);
  });

  it.each(RUNTIMES)("has a catastrophic regex ends in linear time, on %s", async (runtime) => {
    const box = sandbox(runtime);
    const expression = "$contains(start.prompt, /^(a+)+$/)";
    const workflow = TURNS.replace("steps[-1].output.approved = false", JSON.stringify(expression));
    await box.uwf(["workflow", "put", box.write("turns.yaml", workflow)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", `${"a".repeat(50)}!`]);
    await box.json(["thread", "run", thread, "--max-steps", "2", "--agent", zoo("valid")]);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
  });
});
