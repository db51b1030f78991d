import { describe, it } from "vitest";
import { followHint, type OF_REMOTE, type Situation } from "../../../cli-workflow/test/hints/follow.js";
import { type Sandbox, sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { startTurns, TURNS, zoo } from "../../../cli-workflow/test/support/workflows.js";

const THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

type Situations = Readonly<Record<(typeof OF_REMOTE)[number], (box: Sandbox) => Promise<Situation>>>;

const SITUATIONS: Situations = {
  REMOTE_NOT_SET: async () => ({ args: ["remote", "init"], codes: [0] }),
  THREAD_ON_REMOTE: async (box) => {
    await box.json(["setup", "--agent", zoo("valid")]);
    const thread = await startTurns(box);
    const env = { UWF_REMOTE_URL: `pglite:${box.home}/remote` };
    await box.json(["remote", "init"], { env });
    await box.json(["thread", "push", thread], { env });
    return { args: ["thread", "step", thread], codes: [0, 0], env };
  },
  NOT_ON_REMOTE: async (box) => {
    const env = { UWF_REMOTE_URL: `pglite:${box.home}/remote` };
    await box.json(["remote", "init"], { env });
    return { args: ["thread", "show", THREAD, "--remote"], codes: [0], env };
  },
  WORKER_UNFIT: async (box) => {
    const env = { UWF_REMOTE_URL: `pglite:${box.home}/remote` };
    await box.json(["setup", "--agent", zoo("exit3")]);
    await box.json(["remote", "init"], { env });
    await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    for (let count = 0; count < 3; count += 1)
      await box.json(["thread", "submit", "turns", "-p", "Do it"], { env });
    return { args: ["worker", "--until-idle"], codes: [0, 0], env };
  },
  REMOTE_NOT_READY: async (box) => ({
    args: ["thread", "list", "--remote"],
    codes: [0],
    after: 0,
    env: { UWF_REMOTE_URL: `pglite:${box.home}/remote` },
  }),
};

describe("the commands of a hint work as they stand, of a remote", () => {
  it.each(Object.entries(SITUATIONS))("%s", async (code, prepare) => {
    await followHint(sandbox(), code, prepare);
  });
});
