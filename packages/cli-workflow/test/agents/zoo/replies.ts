import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeHash, encodeNode, type Hash, type JsonValue } from "@uncaged/json-cas";
import { openStorage, putNode, readChain, TYPE } from "@uncaged/workflow-store";

// Behaviours of the zoo that are a reply and nothing of a process: the agent plays them, and the worker of a test does where
// an agent asks it (`support/asked.ts`).

/** What an agent was started with. */
export type Asked = {
  /** The storage root. */
  readonly root: string;
  readonly head: string;
  readonly thread: string;
  readonly role: string;
  /** What follows the behaviour. */
  readonly args: readonly string[];
  readonly pid: number;
  /** Whether the agent was ended meanwhile. */
  readonly isGone: () => boolean;
};

export type Reply = { readonly stdout: string; readonly stderr: string; readonly code: number };

type Changes = {
  readonly output?: Hash;
  readonly value?: JsonValue;
  readonly step?: Readonly<Record<string, JsonValue>>;
};

const OUTPUTS: Readonly<Record<string, JsonValue>> = { maker: { text: "made" }, checker: { approved: true } };
const OTHERS: Readonly<Record<string, JsonValue>> = {
  maker: { text: "another" },
  checker: { approved: false },
};
const NO_NODE = "0123456789ABC" as Hash;

/** What the agent does with its thread. */
export function zooOf({ root, head, role }: Pick<Asked, "root" | "head" | "role">) {
  const { cas } = openStorage(root, { now: Date.now });
  const chain = () => {
    const read = readChain(cas, head as Hash);
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    return read.value;
  };
  const task = (): string => chain().start.payload.prompt;
  const metaOf = () => chain().workflow.payload.roles[role]?.meta ?? NO_NODE;
  const other = OTHERS[role] ?? null;
  const validStep = async ({ output, value = OUTPUTS[role] ?? null, step }: Changes = {}): Promise<Hash> => {
    const { start, steps } = chain();
    return putNode(cas, "stepNode", {
      start: start.hash,
      prev: steps.length === 0 ? null : (head as Hash),
      role,
      output: output ?? (await cas.put(metaOf(), value)),
      detail: await putNode(cas, "content", { text: `reply of ${role}` }),
      agent: "zoo",
      ...step,
    });
  };
  /** Puts a node's file in place without any check, as a damaged or hostile writer would. */
  const forceNode = (type: Hash, payload: JsonValue): Hash => {
    const hash = computeHash(type, payload);
    mkdirSync(join(root, "cas"), { recursive: true });
    writeFileSync(join(root, "cas", `${hash}.bin`), encodeNode({ type, payload, timestamp: Date.now() }));
    return hash;
  };
  const brokenStep = async (field: "output" | "detail"): Promise<Hash> => {
    const payload = cas.get(await validStep())?.payload as Readonly<Record<string, JsonValue>>;
    return forceNode(TYPE.stepNode, { ...payload, [field]: NO_NODE });
  };
  return { cas, task, metaOf, other, validStep, forceNode, brokenStep };
}

type Zoo = ReturnType<typeof zooOf>;

const prints = (stdout: string): Reply => ({ stdout, stderr: "", code: 0 });

const REPLIES: Readonly<Record<string, (zoo: Zoo, asked: Asked) => Reply | Promise<Reply>>> = {
  valid: async ({ validStep }) => prints(`${await validStep()}\n`),
  rejecting: async ({ validStep, other }) => prints(`${await validStep({ value: other })}\n`),
  silent: () => prints(""),
  garbage: () => prints("I did it, trust me\n"),
  noiseThenHash: async ({ validStep }) => prints(`loading…\n  warning: x\n${await validStep()}\n\n`),
  hashThenNoise: async ({ validStep }) => prints(`${await validStep()}\ndone!\n`),
  crlf: async ({ validStep }) => prints(`noise\r\n${await validStep()}\r\n`),
  colour: async ({ validStep }) => prints(`\u001b[32m${await validStep()}\u001b[0m\n`),
  lowerCase: async ({ validStep }) => prints(`${(await validStep()).toLowerCase()}\n`),
  exit3: () => ({ stdout: "", stderr: "the model is out of credit\n", code: 3 }),
  validThenExit1: async ({ validStep }) => ({ ...prints(`${await validStep()}\n`), code: 1 }),
  printsArgument: (_, { args }) => prints(`${args[0]}\n`),
  otherType: async ({ cas }) => prints(`${await putNode(cas, "content", { text: "not a step" })}\n`),
  missingNode: () => prints(`${NO_NODE}\n`),
  wrongRole: async ({ validStep }, { role }) =>
    prints(`${await validStep({ step: { role: role === "maker" ? "checker" : "maker" } })}\n`),
  wrongPrev: async ({ validStep }) => prints(`${await validStep({ step: { prev: await validStep() } })}\n`),
  outputOfOtherType: async ({ validStep, cas }) =>
    prints(`${await validStep({ output: await putNode(cas, "content", { text: "x" }) })}\n`),
  outputViolates: async ({ validStep, metaOf, forceNode }) =>
    prints(`${await validStep({ output: forceNode(metaOf(), { text: 42, approved: "yes" }) })}\n`),
  missingOutput: async ({ brokenStep }) => prints(`${await brokenStep("output")}\n`),
  missingDetail: async ({ brokenStep }) => prints(`${await brokenStep("detail")}\n`),
  missingTurn: async ({ validStep, cas }, { role }) => {
    const text = await putNode(cas, "content", { text: "x" });
    const session = { agent: "a", role, sessionId: null, cwd: null, model: null, usage: null };
    const times = { startedAt: 1, durationMs: 1 };
    const turns = [NO_NODE as never];
    const detail = await putNode(cas, "reactSession", {
      ...session,
      ...times,
      prompt: text,
      raw: text,
      turns,
    });
    return prints(`${await validStep({ step: { detail } })}\n`);
  },
  /** Tells that it runs, waits for a file, then delivers. */
  waits: async ({ validStep }, { args: [file = ""], isGone }) => {
    writeFileSync(`${file}.started`, "");
    await waitWhile(() => !existsSync(file) && !isGone());
    return isGone() ? prints("") : prints(`${await validStep()}\n`);
  },
  /** Fails or waits while its folder, `args[0]`, has a file named after the item of its task, and notes that it is done. */
  doesItem: async ({ validStep, task }, { args: [folder = ""], isGone }) => {
    const item = /.*item-(\d*)/s.exec(task())?.[1] ?? "";
    if (existsSync(join(folder, `fail-${item}`))) return { ...prints(""), code: 3 };
    await waitWhile(() => existsSync(join(folder, `block-${item}`)) && !isGone());
    const value = { note: `done ${item}`.trim() };
    return isGone() ? prints("") : prints(`${await validStep({ value, step: { agent: "worker" } })}\n`);
  },
  /** Fails at every other start, the first one included; `args[0]` keeps count. */
  failsOdd: (zoo, asked) => play(countIn(asked.args[0]) % 2 === 1 ? "exit3" : "valid", zoo, asked),
  /** Behaves as `args[2]` says the first `args[1]` times, then delivers; `args[0]` keeps count. */
  failsTimes: (zoo, asked) => {
    const [counter, times, how = ""] = asked.args;
    return play(countIn(counter) <= Number(times) ? how : "valid", zoo, asked);
  },
};

/** Whether `replyTo` plays it. */
export function isReply(behaviour: string, args: readonly string[]): boolean {
  return behaviour === "failsTimes" ? isReply(args[2] ?? "", []) : Object.hasOwn(REPLIES, behaviour);
}

/** Plays the behaviour up to what the agent prints and ends with. */
export function replyTo(behaviour: string, asked: Asked): Promise<Reply> {
  return play(behaviour, zooOf(asked), asked);
}

/** Every start of any agent leaves a line, so that tests can count agent runs. */
export function leaveLine({ root, thread, role, head, pid }: Omit<Asked, "args" | "isGone">): void {
  appendFileSync(join(root, "..", "agent-runs.log"), `${thread} ${role} ${head} ${pid}\n`);
}

async function play(behaviour: string, zoo: Zoo, asked: Asked): Promise<Reply> {
  const reply = REPLIES[behaviour];
  if (reply === undefined) throw new Error(`the zoo does not reply as ${behaviour}`);
  return reply(zoo, asked);
}

async function waitWhile(holds: () => boolean): Promise<void> {
  for (let count = 0; count < 3000 && holds(); count += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Notes a start in a file; how many there were. */
export function countIn(counter = ""): number {
  appendFileSync(counter, "run\n");
  return readFileSync(counter, "utf8").split("\n").length - 1;
}
