import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asked, openLive, startUi } from "../support/ui.js";
import { RUNTIMES, type Sandbox, SCRIPT_RUNNER, sandbox, ZOO } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

async function turned(box: Sandbox): Promise<{ readonly thread: string; readonly head: string }> {
  const thread = await startTurns(box, "Make it");
  await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")]);
  const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
  return { thread, head };
}

describe.each(RUNTIMES)("on %s", (runtime) => {
  it("a report of a thread is written", async () => {
    const box = sandbox(runtime);
    const { thread } = await turned(box);
    const { file } = await box.json<{ file: string }>(["thread", "report", thread]);
    const page = readFileSync(file, "utf8");
    expect(page).toContain('class="uwf-graph"');
    expect(page).toContain("1 failed run");
  });

  it("a folder of reports is written, and stays as it is while nothing happens", async () => {
    const box = sandbox(runtime);
    const { thread } = await turned(box);
    expect(await box.json(["report", "-o", "pages"])).toMatchObject({ threads: 1, written: 3, unchanged: 0 });
    expect(await box.json(["report", "-o", "pages"])).toMatchObject({ threads: 1, written: 0, unchanged: 3 });
    expect(readFileSync(join(box.cwd, "pages/index.html"), "utf8")).toContain(`threads/${thread}.html`);
  });

  it("the page of uwf ui is served, steps a thread, tells what changes, and ends", async () => {
    const box = sandbox(runtime);
    const { thread, head } = await turned(box);
    box.write(
      `${box.root}/config.yaml`,
      `agents: { zoo: { command: ${SCRIPT_RUNNER}, args: [${ZOO}, valid] } }\ndefaultAgent: zoo\n`,
    );
    const ui = await startUi(box, ["--linger", "0"]);
    expect((await asked(ui, { path: "/" })).text).toContain("<title>uwf</title>");
    expect((await asked(ui, { path: `/api/texts/${head}` })).status).toBe(200);
    expect(
      (await asked(ui, { path: `/api/thread/${thread}`, headers: { Host: "rebound.test" } })).status,
    ).toBe(421);
    const live = await openLive(ui);
    const body = { action: "step", thread, head };
    expect((await asked(ui, { path: "/api/do", method: "POST", body })).status).toBe(202);
    await live.heard('"action":"step","code":0');
    expect(JSON.parse((await asked(ui, { path: `/api/thread/${thread}` })).text)).toMatchObject({
      done: true,
    });
    live.close();
    expect(await ui.ended).toBe(0);
  });
});
