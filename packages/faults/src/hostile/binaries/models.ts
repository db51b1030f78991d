import { mkdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { putTurns, startThread, type World } from "../../world.js";
import { type Endpoint, type Move, openEndpoint, SAY, saying } from "../actors.js";
import { corpus, hashLike, nastyText } from "../texts.js";
import type { Bench } from "./bench.js";

const PROMISE = "an LLM's answer is validated, bounded and never obeyed";

const MIB = 1024 * 1024;

/** Headers that keep the retries from waiting. */
const NOW = { "retry-after": "0" };

/** An endpoint that answers the extract with everything but what it should. */
export async function models(bench: Bench): Promise<void> {
  const { world, session } = bench;
  const endpoint = await openEndpoint();
  try {
    await putTurns(world);
    const thread = await startThread(world);
    const env = configure(bench, endpoint);
    const hash = (await world.json(["thread", "show", thread])).head;
    const all = Object.entries(movesAgainst(hash));
    const some = session.level === "sample" ? all.filter((_, at) => at % 10 === 0) : all;
    for (const [name, move] of some) {
      endpoint.play(move);
      const args = ["thread", "step", thread, "--agent", "mock"];
      const ran = await bench.run(args, { env });
      session.count("answers of a hostile model");
      if (ran.code !== 6) bench.broken(PROMISE, args, ran, `${name} gave exit ${ran.code}`);
      const { head } = await world.json(["thread", "show", thread]);
      if (head !== hash) bench.broken(PROMISE, args, ran, `${name} moved the head`);
    }
    if (endpoint.requests() < some.length)
      session.broken(PROMISE, `only ${endpoint.requests()} requests came`);
  } finally {
    await endpoint.close();
  }
}

/** An agent whose replies have no header, and the model that is asked then. */
function configure({ world }: Bench, { baseUrl }: Endpoint): Readonly<Record<string, string>> {
  mkdirSync(world.root, { recursive: true });
  const config = {
    providers: { local: { baseUrl, apiKeyEnv: "LOCAL_API_KEY" } },
    models: { extract: { provider: "local", name: "hostile" } },
    agents: { mock: { command: world.environment("node").UWF_FAULTS_AGENT, timeoutSeconds: 1.5 } },
  };
  writeFileSync(join(world.root, "config.yaml"), JSON.stringify(config));
  const scenario = join(world.folder, "headless.json");
  const hashes = "0123456789ABC and what else there is";
  writeFileSync(
    scenario,
    JSON.stringify({ roles: { maker: [{ reply: `No header at all, but ${hashes}.` }] } }),
  );
  return { UWF_MOCK_SCENARIO: scenario, LOCAL_API_KEY: "sk-local-0123456789abcdef" };
}

const JSON_TYPE = { "content-type": "application/json", ...NOW };

function send(
  text: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Move {
  return (response) => {
    response.writeHead(status, headers);
    response.end(text);
  };
}

function says(content: unknown, more: object = {}): Move {
  const message = { role: "assistant", content, ...more };
  return send(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
}

function movesAgainst(hash: string): Readonly<Record<string, Move>> {
  const call = {
    id: "1",
    type: "function",
    function: { name: "cas_get", arguments: JSON.stringify({ hash }) },
  };
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  return {
    "malformed JSON": send('{"choices": [{"message": '),
    "an empty body": send(""),
    "nothing but null": send("null"),
    "deep nesting": send(`${"[".repeat(MIB)}`),
    "a deep answer": says(deep),
    "9 MiB of blanks": send(Buffer.alloc(9 * MIB, " ")),
    "8 MiB of braces": says("{".repeat(4 * MIB)),
    "a gzip bomb": send(gzipSync(Buffer.alloc(200 * MIB, " ")), 200, {
      ...JSON_TYPE,
      "content-encoding": "gzip",
    }),
    "no gzip": send("plain", 200, { ...JSON_TYPE, "content-encoding": "gzip" }),
    "a web page": send("<html><script>alert(1)</script>", 200, { "content-type": "text/html" }),
    "random bytes": send(Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256))),
    "a redirect": send("", 307, { ...NOW, location: "http://127.0.0.1:9/elsewhere" }),
    "a redirect to a file": send("", 302, { ...NOW, location: "file:///etc/hostname" }),
    "an escape in an error": send(
      JSON.stringify({ error: { message: "\u001b]0;owned\u0007\u009b2J" } }),
      400,
    ),
    "an error as a number": send('{"error": 42}', 500),
    "tool calls for ever": says(null, { tool_calls: [call] }),
    "a thousand tool calls": says(null, { tool_calls: Array.from({ length: 1_000 }, () => call) }),
    "a tool that is none": says(null, { tool_calls: [{ function: { name: "__proto__", arguments: "{" } }] }),
    "prototype members": says('{"__proto__": {"text": "x"}, "constructor": {"text": "x"}}'),
    "values of other types": says('{"text": ["x"]}'),
    "a number as content": says(1e308),
    "two objects": says('{"text": "a"}\n{"text": "b"}'),
    "a fence in a fence": says("```json\n```json\n{}\n```\n```"),
    "no choices": send('{"choices": {}}'),
    "choices of null": send('{"choices": [null]}'),
    "a hundred thousand choices": send(
      JSON.stringify({ choices: Array.from({ length: 100_000 }, () => ({})) }),
    ),
    "a status without words": send("", 418),
    "an endless trickle": trickle,
    "headers only": (response) => {
      response.writeHead(200, JSON_TYPE);
      response.flushHeaders();
    },
  };
}

/** A byte now and then, for ever; the server is closed in the end. */
function trickle(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
}

const OUTPUT_PROMISE = "what an agent prints moves a head only if it is a valid step";

/** Agents that print anything: noise by the megabyte, terminal codes, what looks like a hash, hashes of other nodes. */
export async function outputs(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  const head = (await world.json(["thread", "show", thread])).head;
  const hashes = (await world.json<{ hashes: string[] }>(["cas", "list"])).hashes;
  const rounds = session.level === "sample" ? 1 : 12;
  const noises = fc.sample(noise(hashes), {
    seed: session.seed + session.random.below(1_000_000),
    numRuns: rounds,
  });
  const large = session.level === "sample" ? heavy(hashes).slice(1, 3) : heavy(hashes);
  for (const bytes of [...noises, ...large]) {
    const stdout = join(world.folder, "stdout");
    writeFileSync(stdout, bytes);
    const code = session.random.below(4) === 0 ? 3 : 0;
    const args = ["thread", "step", thread, ...SAY];
    const ran = await bench.once(args, saying({ stdout, stderr: stdout }, code));
    session.count("agents' outputs");
    const now = await headOf(world, thread);
    if (ran.code !== 6)
      bench.broken(OUTPUT_PROMISE, args, ran, `exit ${ran.code} after ${bytes.length} bytes of noise`);
    if (now !== head) bench.broken(OUTPUT_PROMISE, args, ran, `the head went from ${head} to ${now}`);
  }
  await behindNoise(bench, thread);
}

async function headOf(world: World, thread: string): Promise<string> {
  return (await world.json(["thread", "show", thread])).head;
}

function noise(hashes: readonly string[]): fc.Arbitrary<Buffer> {
  const line = fc.oneof(
    nastyText,
    hashLike,
    fc.constantFrom(...hashes, ...corpus("terminal")),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  const end = fc.constantFrom("\n", "\r\n", "\r", "\u001b[0m\n", "\u0000\n", " \n", "");
  return fc
    .array(fc.tuple(line, end, fc.constantFrom(1, 1, 1, 20_000)), { maxLength: 10 })
    .map((lines) => Buffer.from(lines.map(([text, after, times]) => (text + after).repeat(times)).join("")));
}

function heavy(hashes: readonly string[]): readonly Buffer[] {
  const [hash = ""] = hashes;
  return [
    Buffer.alloc(8 * MIB, "\n"),
    Buffer.alloc(8 * MIB, `${hash} `),
    Buffer.from(`${hash}${"\u001b[0m".repeat(MIB)}`),
    Buffer.from(`${"\u001b]".repeat(2 * MIB)}`),
  ];
}

/** A valid step behind megabytes of noise on both streams counts all the same. */
async function behindNoise(bench: Bench, thread: string): Promise<void> {
  const { world } = bench;
  const scenario = join(world.folder, "noisy.json");
  const stdoutNoise = `${"noise \u001b[31m\r\n".repeat(200_000)}\u0000\u0007`;
  const entry = {
    reply: "---\ntext: said\n---\nBody",
    stdoutNoise,
    stderr: "\u001b]0;loud\u0007".repeat(20_000),
  };
  writeFileSync(scenario, JSON.stringify({ roles: { maker: [entry] } }));
  const args = ["thread", "step", thread, ...world.agent];
  const ran = await bench.once(args, { env: { UWF_MOCK_SCENARIO: scenario } });
  if (ran.code !== 0) bench.broken(OUTPUT_PROMISE, args, ran, "a valid step behind noise was lost");
}
