// Agents that do one thing wrong each: `node zoo.mjs <how> <thread-id> <role>`. The built kit does the rest.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const packages = resolve(import.meta.dirname, "../../..");
const load = (name) => import(pathToFileURL(join(packages, name, "dist/index.js")).href);

const [how, ...words] = process.argv.slice(2);
const { createAgent } = await load("workflow-agent-kit");
const REPLY = "---\nnote: Small tools are easy to replace.\ndone: true\n---\nDone.\n";

const play = {
  good: () => text(),
  chatty: () => {
    process.stdout.write("thinking\n\u001b[1mstill thinking\u001b[0m\n");
    return text();
  },
  late: () => {
    process.on("exit", () => process.stdout.write("bye\n"));
    return text();
  },
  sorry: () => {
    setTimeout(() => process.exit(3), 20);
    return text();
  },
  deaf: async () => {
    process.removeAllListeners("SIGTERM");
    process.on("SIGTERM", () => {});
    process.stderr.write("working\n");
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    return text();
  },
  slow: async ({ signal }) => {
    await pause(20_000, null, { signal });
    return text();
  },
  lifelong: () => ({ kind: "text", text: REPLY, session: counted(1) }),
  sober: () => ({ kind: "text", text: REPLY, session: counted(1) }),
  parent: () => {
    spawn("sleep", ["20"], { detached: true, stdio: "ignore" }).unref();
    return text();
  },
  meddler: () => {
    appendFileSync(join(process.env.UNCAGED_WORKFLOW_STORAGE_ROOT, "threads.yaml"), "# seen\n");
    return text();
  },
  argument: ({ prompt }) => {
    const { error } = spawnSync("true", [prompt]);
    if (error) throw error;
    return text();
  },
};

function text() {
  return { kind: "text", text: REPLY, session: { sessionId: "session-41" } };
}

/** The session, and its usage after so many visits. */
function counted(visits) {
  const usage = {
    inputTokens: 100 * visits,
    outputTokens: 10 * visits,
    totalTokens: 110 * visits,
    costUsd: null,
  };
  return { sessionId: "session-41", usage };
}

/** Stores a step as it likes: whose output nobody has looked at, or with what no node may have in it. */
async function byHand() {
  const { openStorage, putNode, readNode, findThread } = await load("workflow-store");
  const storage = openStorage(process.env.UNCAGED_WORKFLOW_STORAGE_ROOT, { now: Date.now });
  const { value } = await findThread(storage, words[0]);
  if (!readNode(storage.cas, "startNode", value.head).ok) process.exit(1);
  const start = storage.cas.get(value.head).payload;
  const { meta } = storage.cas.get(start.workflow).payload.roles[words[1]];
  const valid = () => storage.cas.put(meta, { note: "Small tools last.", done: true });
  const { detail, output = await valid() } = await {
    lax: async () => {
      const reply = await putNode(storage.cas, "content", { text: REPLY });
      return { detail: reply, output: reply };
    },
    verbatim: async () => ({ detail: await putNode(storage.cas, "content", { text: start.prompt }) }),
    babbling: async () => ({
      detail: await putNode(storage.cas, "content", { text: "Done." }),
      output: await storage.cas.put(meta, { note: `With ${process.env.UWF_CHECK_KEY}.`, done: true }),
    }),
    dumping: async () => ({
      detail: await putNode(storage.cas, "content", {
        text: readFileSync(join(storage.root, ".env"), "utf8"),
      }),
    }),
  }[how]();
  const step = { start: value.head, prev: null, role: words[1], output, detail, agent: "uwf-by-hand" };
  process.stdout.write(`${await putNode(storage.cas, "stepNode", step)}\n`);
}

const goOn = {
  resuming: (id) =>
    id === "session-41"
      ? text()
      : { kind: "failed", sessionLost: true, fault: { code: "INVALID_INPUT", what: id, reason: "gone" } },
  pretending: (id) => ({ kind: "text", text: REPLY, session: { sessionId: id } }),
  lifelong: (_id, _message, { steps }) => ({
    kind: "text",
    text: REPLY,
    session: counted(1 + steps.filter(({ role }) => role === words.at(-1)).length),
  }),
  sober: () => ({ kind: "text", text: REPLY, session: counted(1) }),
  stubborn: (id) => {
    if (id !== "session-41") throw new Error(`there is no ${id}`);
    return text();
  },
};

if (how === "careless") process.exit(0);
if (["lax", "verbatim", "babbling", "dumping"].includes(how) && words.length === 2) await byHand();
else
  await createAgent({
    name: "uwf-zoo",
    version: "1.0.0",
    run: play[how] ?? play.good,
    continue: goOn[how] ?? null,
  })(words);
