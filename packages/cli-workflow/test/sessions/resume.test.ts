import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { MOCK, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { judged, MADE, mockWith } from "./support.js";

type Detail = {
  readonly sessionId: string | null;
  readonly prompt: { readonly text: string };
  readonly turns: readonly { readonly output: { readonly text: string } }[];
};

const maker = (more: object = {}) => ({ reply: MADE, sessionId: "s-1", ...more });
const checker = [{ reply: judged(false) }, { reply: judged(true) }];

/** Where the last step is called from, and its further options. */
type LastStep = { readonly cwd?: string; readonly options?: readonly string[] };

/** Plays maker, checker, maker; gives the detail of the last one and what that step said. */
async function twoVisits(box: Sandbox, agent: readonly string[], last: LastStep = {}) {
  const thread = await startTurns(box);
  const step = ({ cwd = box.cwd, options = [] }: LastStep) =>
    box.uwf(["thread", "step", thread, ...agent, ...options], { cwd });
  await step({});
  await step({});
  const { stdout, stderr } = await step(last);
  const { head } = JSON.parse(stdout);
  const detail = await box.json<Detail>(["thread", "step-details", head, "--format", "json"]);
  return { detail, stderr };
}

describe("a role that comes again", () => {
  it.each(RUNTIMES)("goes on in its session by default (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const agent = mockWith(box, { maker: [maker(), maker({ sessionId: null })], checker });
    const { detail, stderr } = await twoVisits(box, ["--agent", agent]);
    expect(stderr).toBe("");
    expect(detail).toMatchObject({ sessionId: "s-1", turns: [] });
    expect(detail.prompt.text).toContain("# What happened since your last step");
    expect(detail.prompt.text).toContain("approved: false");
  });

  it("starts a new session with `resume: false` in config.yaml, whatever the agent inherits", async () => {
    const box = sandbox();
    const scenario = box.write("s.json", JSON.stringify({ roles: { maker: [maker()], checker } }));
    box.write(
      join(box.root, "config.yaml"),
      `agents:\n  mock: { command: ${MOCK}, args: [--scenario, ${scenario}], resume: false, env: [] }\ndefaultAgent: mock\n`,
    );
    const { detail, stderr } = await twoVisits(box, []);
    expect(stderr).toBe("");
    expect(detail).toMatchObject({ sessionId: "s-1", prompt: { text: "" }, turns: [] });
  });

  it("starts a new session if the old one is lost, and says so", async () => {
    const box = sandbox();
    const agent = mockWith(box, {
      maker: [maker(), maker({ sessionLost: true, sessionId: "s-2" })],
      checker,
    });
    const { detail, stderr } = await twoVisits(box, ["--agent", agent]);
    expect(stderr).toMatch(
      /^uwf-mock: session s-1 was not continued: .*; a new session gets the complete history\n$/,
    );
    expect(detail).toMatchObject({
      sessionId: "s-2",
      turns: [{ output: { text: expect.stringContaining("s-1") } }],
    });
    expect(logLines(box).every(({ outcome }) => outcome === "step")).toBe(true);
    const log = await box.json<readonly { readonly content: string }[]>(["log"]);
    expect(log.map(({ content }) => content)).toContain("a session was not continued");
  });

  it("goes on in its session from wherever the step is called: what counts is the thread's folder", async () => {
    const box = sandbox();
    const other = join(box.cwd, "other");
    mkdirSync(other);
    const agent = mockWith(box, { maker: [maker()], checker });
    const { detail, stderr } = await twoVisits(box, ["--agent", agent], { cwd: other });
    expect(stderr).toBe("");
    expect(detail.prompt.text).toContain("# What happened since your last step");
  });

  it("starts a new session if the thread has moved to another folder, and says so", async () => {
    const box = sandbox();
    const other = join(box.cwd, "other");
    mkdirSync(other);
    const agent = mockWith(box, { maker: [maker()], checker });
    const { detail, stderr } = await twoVisits(box, ["--agent", agent], { options: ["--cwd", other] });
    expect(stderr).toContain(`it belongs to the folder ${box.cwd}, and this step works in ${other}`);
    expect(detail.prompt.text).toBe("");
  });
});
