import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FakeServer,
  fails,
  type Move,
  says,
  startServer,
} from "../../../workflow-agent-kit/test/llm/fake-server.js";
import { logLines } from "../support/logs.js";
import { ended, inTurn, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import {
  commandLines,
  configure,
  ENVIRONMENT,
  expectClean,
  FILE_KEY,
  filesWithKeys,
  holdsKey,
  leaky,
  PROVIDER_KEY,
} from "./support.js";

const MARK = "[redacted:FILE_KEY]";

async function step(box: Sandbox, thread: string, ...args: readonly string[]) {
  const ran = await box.uwf(["thread", "step", thread, ...args], { env: ENVIRONMENT });
  expectClean(ran);
  expect(filesWithKeys(box.root)).toEqual([]);
  return ran;
}

/** What every command that reads prints about the thread. */
async function readings(box: Sandbox, thread: string): Promise<string> {
  const { steps } = await box.json(["thread", "steps", thread]);
  const head = steps.at(-1)?.hash ?? "";
  const commands = [
    ["thread", "steps", thread],
    ["thread", "read", thread, "--quota", "1000000"],
    ["thread", "step-details", head],
    ["thread", "next", thread],
    ["cas", "walk", head],
  ];
  const outputs: string[] = [];
  for (const command of commands) {
    const ran = await box.uwf(command, { env: ENVIRONMENT });
    expectClean(ran);
    outputs.push(ran.stdout);
  }
  return outputs.join("\n");
}

/** What the log says of failed runs, and the replies that it names. */
async function failures(box: Sandbox): Promise<string> {
  const lines = logLines(box);
  const raws = lines.flatMap(({ raw }) => (typeof raw === "string" ? [raw] : []));
  const replies = await Promise.all(raws.map((raw) => box.json(["cas", "get", raw])));
  return JSON.stringify([lines, replies]);
}

const BEHAVIOURS = inTurn([
  ["throws", 6],
  ["noHeader", 6],
  ["fails", 6],
  ["crashes", 6],
  ["output", 0],
  ["rejects", 6],
  ["unquoted", 0],
]);

describe.each(RUNTIMES)("on %s, keys that an agent built on the kit lets out", (runtime) => {
  it("in its reply, header, session, stdout and stderr reach no node, no log, no output, no process listing", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    configure(box, leaky("reply", gate));
    const child = reap(box.start(["thread", "step", thread], { env: ENVIRONMENT }));
    const run = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    if (existsSync("/proc/self/cmdline")) {
      expect(commandLines()).toContain(gate);
      expect(holdsKey(commandLines())).toBe(false);
    }
    box.write(gate, "");
    const ran = await run;
    expectClean(ran);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(MARK);
    expect(ran.stderr).toContain("[redacted:PROVIDER_KEY]");
    expect(filesWithKeys(box.root)).toEqual([]);
    const said = await readings(box, thread);
    expect(said).toContain(MARK);
    expect(said).toContain("[redacted:PROVIDER_KEY]");
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps.at(-1)?.output).toEqual({ text: `the key is ${MARK}` });
  });

  const ways = BEHAVIOURS.filter(([on]) => on === runtime);
  it.each(ways)("(%s) when it %s are gone too (exit %i)", async (_runtime, behaviour, code) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    configure(box, leaky(behaviour));
    expect((await step(box, thread)).code).toBe(code);
    expect((await step(box, thread, "--error-format", "json", "--retries", "1")).code).toBe(code);
    const said = await readings(box, thread);
    expect(code === 0 ? said : await failures(box)).toContain("[redacted:");
  });
});

describe("keys and a model", () => {
  let server: FakeServer | null = null;
  afterEach(() => server?.close());

  async function extract(box: Sandbox, moves: readonly Move[]) {
    server = await startServer(moves);
    const providers = { local: { baseUrl: server.baseUrl, apiKeyEnv: "PROVIDER_KEY" } };
    configure(box, leaky("noHeader"), { providers, defaultModel: "small" });
    const thread = await startTurns(box);
    const ran = await step(box, thread);
    return { ran, thread, received: server.received };
  }

  it("the reply goes to the model without them", async () => {
    const box = sandbox();
    const { ran, received } = await extract(box, [says('{"text": "fine"}')]);
    expect(ran.code).toBe(0);
    expect(received[0]?.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(holdsKey(JSON.stringify(received.map(({ body }) => body)))).toBe(false);
  });

  it("an answer that repeats them is stored without", async () => {
    const box = sandbox();
    const answer = says(JSON.stringify({ text: `keys: ${PROVIDER_KEY} ${FILE_KEY}` }));
    const { ran, thread } = await extract(box, [answer]);
    expect(ran.code).toBe(0);
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps.at(-1)?.output).toEqual({ text: `keys: [redacted:PROVIDER_KEY] ${MARK}` });
  });

  it("an error that repeats them is printed without", async () => {
    const box = sandbox();
    const { ran } = await extract(box, [fails(401, { message: `wrong key ${PROVIDER_KEY} or ${FILE_KEY}` })]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("HTTP 401: wrong key [redacted:PROVIDER_KEY] or [redacted:FILE_KEY]");
  });
});

describe("a key that a person typed into the prompt", () => {
  it("stays in the StartNode, which holds their own words, and nowhere else", async () => {
    const box = sandbox();
    const thread = await startTurns(box, `Use ${PROVIDER_KEY}.`);
    const { head } = await box.json(["thread", "show", thread]);
    configure(box, leaky("reply"));
    const ran = await box.uwf(["thread", "step", thread], { env: ENVIRONMENT });
    expect(ran.code).toBe(0);
    expect(filesWithKeys(box.root)).toEqual([`cas/${head}.bin`]);
  });
});

describe("an agent whose alias lists its environment", () => {
  it("gets only the listed variables of the storage root's .env, and so do its children", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const seen = join(box.cwd, "seen.json");
    configure(box, { ...leaky("environment", seen), env: ["LISTED", "FROM_FILE"] });
    box.write(join(box.root, ".env"), `FILE_KEY='${FILE_KEY}'\nFROM_FILE=yes\n`);
    const ran = await box.uwf(["thread", "step", thread], { env: { ...ENVIRONMENT, LISTED: "yes" } });
    expect(ran.code).toBe(0);
    const views = JSON.parse(readFileSync(seen, "utf8"));
    for (const view of [views.env, views.own, views.child]) {
      expect(view).toMatchObject({ LISTED: "yes", FROM_FILE: "yes", HOME: box.home });
      expect(view.FILE_KEY).toBeUndefined();
      expect(view.PROVIDER_KEY).toBeUndefined();
    }
  });

  it("gets all of it without a list", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const seen = join(box.cwd, "seen.json");
    configure(box, leaky("environment", seen));
    expect((await box.uwf(["thread", "step", thread], { env: ENVIRONMENT })).code).toBe(0);
    const views = JSON.parse(readFileSync(seen, "utf8"));
    for (const view of [views.env, views.own, views.child])
      expect(view).toMatchObject({ FILE_KEY, PROVIDER_KEY });
  });

  it("can still have its output extracted by a model whose key is only in .env", async () => {
    const server = await startServer([says('{"text": "fine"}')]);
    try {
      const box = sandbox();
      const providers = { local: { baseUrl: server.baseUrl, apiKeyEnv: "FILE_MODEL_KEY" } };
      configure(box, { ...leaky("noHeader"), env: [] }, { providers, defaultModel: "small" });
      box.write(join(box.root, ".env"), "FILE_MODEL_KEY=sk-in-the-file-only\n");
      const thread = await startTurns(box);
      const ran = await box.uwf(["thread", "step", thread]);
      expect(ran.code).toBe(0);
      expect(server.received[0]?.authorization).toBe("Bearer sk-in-the-file-only");
    } finally {
      await server.close();
    }
  });
});
