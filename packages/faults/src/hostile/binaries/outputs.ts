import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { putTurns, startThread, type World } from "../../world/index.js";
import { SAY, saying } from "../actors/index.js";
import { corpus } from "../corpus/index.js";
import { hashLike, nastyText } from "../texts/index.js";
import type { Bench } from "./bench.js";

const OUTPUT_PROMISE = "what an agent prints moves a head only if it is a valid step";

const MIB = 1024 * 1024;

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
