import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { EXAMPLES, MOCK, type Sandbox, sandbox } from "./support/uwf.js";

const EXEC = resolve(import.meta.dirname, "../../workflow-agent-exec/bin/uwf-exec");

/** A project whose tests fail, and a config in which they, and no model, are the tester of `develop`. */
function project(): Sandbox {
  const box = sandbox();
  box.write("sum.sh", "echo $(($1 - $2))\n");
  box.write(
    "test.sh",
    '[ "$(sh sum.sh 2 3)" = 5 ] && echo 1 passed && exit\necho "2 + 3 gave $(sh sum.sh 2 3)"\nexit 1\n',
  );
  const agents = {
    mock: { command: MOCK, args: ["--scenario", join(EXAMPLES, "develop.scenario.yaml")] },
    tests: { command: EXEC, args: ["--", "sh", "test.sh"] },
  };
  const config = { agents, defaultAgent: "mock", agentOverrides: { develop: { tester: "tests" } } };
  box.write(join(box.root, "config.yaml"), JSON.stringify(config));
  return box;
}

it("the tester of examples/develop runs the tests with uwf-exec, and the moderator routes on their exit code", async () => {
  const box = project();
  await box.json(["workflow", "put", join(EXAMPLES, "develop.yaml")]);
  const { thread } = await box.json(["thread", "start", "develop", "-p", "sum.sh adds two numbers"]);
  const tested = async () => {
    const { steps } = await box.json(["thread", "steps", thread]);
    return steps.filter(({ role }) => role === "tester").map(({ output }) => output);
  };

  expect((await box.uwf(["thread", "run", thread, "--max-steps", "7"])).code).toBe(9);
  expect(await tested()).toMatchObject([{ ok: false, exitCode: 1, output: "2 + 3 gave -1\n" }]);
  expect(await box.json(["thread", "next", thread])).toMatchObject({ next: "coder" });

  box.write("sum.sh", "echo $(($1 + $2))\n");
  const { head } = await box.json(["thread", "run", thread]);
  expect(await tested()).toMatchObject([{ ok: false }, { ok: true, exitCode: 0, output: "1 passed\n" }]);
  expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "end", head });

  const { steps } = await box.json(["thread", "steps", thread]);
  const tester = steps.findLast(({ role }) => role === "tester");
  const { hashes } = await box.json(["cas", "walk", head]);
  expect(hashes).toEqual(expect.arrayContaining([tester?.hash, tester?.detail]));
  const details = await box.uwf(["thread", "step-details", tester?.hash ?? "", "--format", "json"]);
  expect(details.stdout).toContain("1 passed");
  expect(details.stdout).toContain("test.sh");
});
