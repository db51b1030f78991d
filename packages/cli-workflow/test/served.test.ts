import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { served } from "./support/served.js";
import { ended, sandbox, until } from "./support/uwf.js";
import { startTurns, zoo } from "./support/workflows.js";

it("a command that is served in the worker gets the signals of other processes, and the worker lives on", async () => {
  const box = sandbox();
  const thread = await startTurns(box);
  const gate = join(box.cwd, "gate");
  const world = { env: box.environment, cwd: box.cwd, stdin: undefined };
  const step = served(["thread", "step", thread, "--agent", zoo("waits", `'${gate}'`)], world);
  await until("the agent runs", () => existsSync(`${gate}.started`));
  expect(await ended(box.start(["thread", "kill", thread]))).toMatchObject({ code: 0 });
  expect(await step).toMatchObject({ code: 8, signal: null });
});
