import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";

const ROUNDS = 4;

/** One role, again and again, until the condition over the whole history says that it is enough. */
function workflow(expression: string): string {
  return `name: rounds
description: The same again
roles:
  maker:
    description: makes
    goal: Make it
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [text]
      properties:
        text: { type: string }
      additionalProperties: false
conditions:
  again:
    description: not enough yet
    expression: ${JSON.stringify(expression)}
graph:
  $START:
    - { role: maker, condition: null }
  maker:
    - { role: maker, condition: again }
    - { role: $END, condition: null }
`;
}

const WHOLE = `$count(steps[output.text != 'nothing']) < ${ROUNDS}`;

type Thread = { readonly box: Sandbox; readonly thread: string; readonly file: string };

async function threadOf(expression: string): Promise<Thread> {
  const box = sandbox(RUNTIMES.at(-1));
  const entries = Array.from({ length: ROUNDS }, (_, n) => ({ reply: `---\ntext: number ${n}\n---\nDone.` }));
  box.write("scenario.json", JSON.stringify({ roles: { maker: entries } }));
  await box.json(["workflow", "put", box.write("rounds.yaml", workflow(expression))]);
  const { thread } = await box.json(["thread", "start", "rounds", "-p", "Do it"]);
  return { box, thread, file: join(box.root, "cache", "history", `${thread}.json`) };
}

async function step({ box, thread }: Thread, n = 0): Promise<boolean> {
  const agent = `'${MOCK}' --scenario '${join(box.cwd, "scenario.json")}'`;
  // By turns: what one runtime has kept the other one reads.
  const env = { UWF_RUNTIME: RUNTIMES[n % RUNTIMES.length] ?? "node" };
  return (await box.json(["thread", "step", thread, "--agent", agent], { env })).done;
}

async function texts({ box, thread }: Thread): Promise<readonly unknown[]> {
  const { steps } = await box.json(["thread", "steps", thread]);
  return steps.slice(1).map(({ role, output }) => [role, output.text]);
}

const EXPECTED = Array.from({ length: ROUNDS }, (_, n) => ["maker", `number ${n}`]);

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.indexOf("number")] = 0x4e;
  writeFileSync(file, bytes);
}

describe("the steps of a thread to its end", () => {
  it.each<readonly [string, (thread: Thread) => void]>([
    ["with its cache", ({ file }) => expect(existsSync(file)).toBe(true)],
    [
      "while somebody deletes the folder cache",
      ({ box }) => rmSync(join(box.root, "cache"), { recursive: true }),
    ],
    ["while somebody damages its cache", ({ file }) => flip(file)],
    [
      "while a link stands in the place of the cache",
      ({ box }) => {
        rmSync(join(box.root, "cache"), { recursive: true, force: true });
        symlinkSync(box.cwd, join(box.root, "cache"));
      },
    ],
    [
      "while a folder stands in the place of its cache",
      ({ file }) => {
        rmSync(file, { recursive: true });
        mkdirSync(file);
      },
    ],
  ])("are the same %s", async (_, between) => {
    const thread = await threadOf(WHOLE);
    let done = false;
    for (let n = 0; !done && n <= ROUNDS; n += 1) {
      done = await step(thread, n);
      // The second step keeps what the first one has recorded.
      if (!done && n > 0) between(thread);
    }
    expect(done).toBe(true);
    expect(await texts(thread)).toEqual(EXPECTED);
    expect(existsSync(thread.file) && statSync(thread.file).isFile()).toBe(false);
    expect(readdirSync(thread.box.cwd).sort()).toEqual(["rounds.yaml", "scenario.json"]);
  });
});

describe("thread next", () => {
  it("says what the next step will do, from the cache as without it, and writes nothing", async () => {
    const thread = await threadOf(WHOLE);
    const { box, file } = thread;
    const next = () => box.json<{ readonly next: string }>(["thread", "next", thread.thread]);
    for (let n = 0; n < 2; n += 1) await step(thread, n);
    const kept = readFileSync(file);
    chmodSync(dirname(file), 0o500);
    const cached = await next();
    expect(cached).toMatchObject({ next: "maker", transitions: [{ value: true }, { condition: null }] });
    expect(readFileSync(file)).toEqual(kept);
    chmodSync(dirname(file), 0o700);
    flip(file);
    expect(await next()).toEqual(cached);
    rmSync(join(box.root, "cache"), { recursive: true });
    expect(await next()).toEqual(cached);
    expect(existsSync(join(box.root, "cache"))).toBe(false);
  });
});

describe("the cache", () => {
  it("is neither read nor made where conditions look at the last steps only", async () => {
    const thread = await threadOf("steps[-1].output.text != 'number 1'");
    expect(await step(thread)).toBe(false);
    expect(existsSync(join(thread.box.root, "cache/history"))).toBe(false);
  });

  it("of a killed thread goes, and keeps cas gc, cas du, doctor and cas export from nothing", async () => {
    const thread = await threadOf(WHOLE);
    const { box, file } = thread;
    for (let n = 0; n < 2; n += 1) await step(thread, n);
    expect(existsSync(file)).toBe(true);
    for (const command of [
      ["cas", "gc", "--yes", "--grace", "0s"],
      ["cas", "du"],
      ["cas", "verify"],
      ["cas", "export", thread.thread, "-o", "thread.export"],
    ])
      expect(await box.uwf(command)).toMatchObject({ code: 0 });
    expect((await box.uwf(["doctor"])).stdout).not.toContain("cache");
    await box.json(["thread", "kill", thread.thread]);
    expect(existsSync(file)).toBe(false);
  });

  it("holds conditions that are evaluated in a process of their own as well", async () => {
    const thread = await threadOf(`$count(steps[$contains(output.text, /^number \\d$/)]) < ${ROUNDS}`);
    for (let n = 0; n < ROUNDS; n += 1) {
      expect(await step(thread, n)).toBe(n === ROUNDS - 1);
      expect(existsSync(thread.file)).toBe(n > 0 && n < ROUNDS - 1);
    }
    expect(await texts(thread)).toEqual(EXPECTED);
  });
});
