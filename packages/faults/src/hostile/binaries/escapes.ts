import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ended, type Ran, UWF } from "../../world.js";
import { AUTHOR, SAY, saying } from "../actors.js";
import { rawControl } from "../manners.js";
import { corpus } from "../texts.js";
import type { Bench } from "./bench.js";

const PROMISE = "terminal escapes of others do not reach a terminal";

/** Texts with every terminal sequence of the corpus in all places where others may write; then every command shows them. */
export async function escapes(bench: Bench): Promise<void> {
  const { session, world } = bench;
  const sequences = corpus("terminal");
  const some = session.level === "sample" ? sequences : sequences.filter(() => session.random.next() < 0.5);
  const loud = ["loud", ...some].join("x");
  const plain = loud.replaceAll("\u0000", "");
  const file = (name: string, text: string): string => {
    writeFileSync(join(world.cwd, name), text);
    return join(world.cwd, name);
  };
  await bench.run(["workflow", "put", file("loud.yaml", yamlOf(workflow(loud)))]);
  await bench.run(["workflow", "put", file("wrong.yaml", yamlOf({ name: loud, [loud]: loud, graph: loud }))]);
  await bench.run(["workflow", "put", file("wrong.yaml", `name: loud\n${loud}\n`)]);
  const started = await bench.once(["thread", "start", "loud", "--prompt-file", file("prompt", plain)]);
  const { thread } = JSON.parse(started.stdout);
  const reply = file("reply", JSON.stringify(replyOf(loud)));
  const bad = file(
    "bad",
    JSON.stringify({ ...replyOf(loud), text: `---\n${yamlOf({ [loud]: loud })}\n---\n${loud}` }),
  );
  const thrown = file("thrown", JSON.stringify({ failure: loud }));
  const raw = file("raw", loud);
  const step = ["thread", "step", thread, ...AUTHOR];
  for (const script of [bad, thrown]) await bench.once(step, { env: { UWF_HOSTILE_REPLY: script } });
  await bench.once(["thread", "step", thread, ...SAY], saying({ stdout: raw, stderr: raw }));
  await bench.once(
    ["thread", "step", thread, ...SAY, "--error-format", "json"],
    saying({ stdout: raw, stderr: raw }, 3),
  );
  await onTerminal(
    bench,
    ["thread", "run", thread, ...SAY],
    saying({ stdout: raw, stderr: raw }, 3).env ?? {},
  );
  await onTerminal(bench, ["thread", "run", thread, "--max-steps", "1", ...AUTHOR], {
    UWF_HOSTILE_REPLY: reply,
  });
  const shown = await bench.run(["thread", "steps", thread]);
  const step1 = JSON.parse(shown.stdout).steps.at(-1);
  const reads = readsOf(thread, step1, plain);
  const isSample = session.level === "sample";
  for (const args of isSample ? reads.filter((_, at) => at % 3 === 0) : reads) await bench.run(args);
  for (const args of reads.slice(0, isSample ? 1 : reads.length)) await onTerminal(bench, args, {});
  session.count("stories of terminal escapes");
}

function readsOf(
  thread: string,
  step: { hash: string; detail: string; output: string },
  loud: string,
): string[][] {
  return [
    ["thread", "read", thread],
    ["thread", "step-details", step.hash],
    ["thread", "step-details", step.hash, "--format", "json"],
    ["thread", "steps", thread, "--format", "yaml"],
    ["thread", "next", thread],
    ["thread", "show", thread, "--format", "yaml"],
    ["thread", "list", "--all"],
    ["workflow", "show", "loud"],
    ["workflow", "show", "loud", "--format", "yaml"],
    ["workflow", "list"],
    ["log"],
    ["log", "--thread", thread, "--format", "yaml"],
    ["cas", "get", step.detail],
    ["cas", "get", step.detail, "--format", "yaml"],
    ["cas", "walk", step.hash, "--tree"],
    ["doctor"],
    ["thread", "show", loud],
    ["thread", "step", thread, "--agent", loud],
    ["workflow", "show", loud],
    ["cas", "get", loud],
    [loud],
  ];
}

/** JSON is YAML, once DEL and the C1 controls are escaped too. */
function yamlOf(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (each) => `\\u00${each.charCodeAt(0).toString(16)}`,
  );
}

function workflow(loud: string) {
  const meta = {
    type: "object",
    required: ["text"],
    properties: {
      text: { type: "string", description: loud },
      [loud]: { const: loud },
      missing: { type: "boolean" },
    },
  };
  const role = { description: loud, goal: loud, capabilities: [loud], procedure: loud, output: loud, meta };
  const conditions = { odd: { description: loud, expression: "$lookup(steps[-1].output, 'missing')" } };
  const graph = {
    $START: [{ role: "maker", condition: null }],
    maker: [
      { role: "maker", condition: "odd" },
      { role: "$END", condition: "odd" },
    ],
  };
  return { name: "loud", description: loud, roles: { maker: role }, conditions, graph };
}

function replyOf(loud: string) {
  const call = { name: loud, arguments: loud, result: loud, durationMs: 1 };
  const turn = { input: loud, output: loud, toolCalls: [call], tokens: null, latencyMs: 1 };
  const session = { sessionId: loud, cwd: loud, model: loud, turns: [turn], usage: null };
  const text = `---\n${yamlOf({ text: loud, [loud]: loud })}\n---\n${loud}`;
  return { name: "uwf-loud", text, stderr: loud, session };
}

const script = spawnSync("sh", ["-c", "command -v script"], { encoding: "utf8" }).stdout.trim();

/** The command on a pseudo terminal: what a person's terminal really gets. Left out where there is no `script`. */
async function onTerminal(
  bench: Bench,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  if (script === "") return;
  const { world, session } = bench;
  const line = [UWF, ...args]
    .map((word) => `'${word.replaceAll("\u0000", "").replaceAll("'", "'\\''")}'`)
    .join(" ");
  const child = spawn(script, ["-qec", line, "/dev/null"], {
    cwd: world.cwd,
    env: { ...world.environment("node"), ...env, TERM: "xterm", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = await ended(child);
  session.count("commands on a terminal");
  // The terminal driver ends lines with CR LF; the live line returns to its start, is drawn, and clears what is left of the
  // one before. Without colours nothing else of a terminal's is uwf's own.
  const own = ran.stdout
    .replaceAll("\r\n", "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
    .replaceAll(/\r([^\r\n\u001b]*)\u001b\[K/g, "$1");
  const raw = rawControl(own);
  if (raw !== null) bench.broken(PROMISE, args, ran, raw);
}
