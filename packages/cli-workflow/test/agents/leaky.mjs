#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// Agents built on the kit that let out every key they know: `leaky.mjs <behaviour> [args…] <thread-id> <role>`.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync, writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";

const [behaviour, ...args] = process.argv.slice(2, -2);

/** The keys in all their spellings, as one text. */
function everything(env) {
  return [env.FILE_KEY, env.PROVIDER_KEY]
    .filter((key) => key !== undefined)
    .flatMap((key) => [
      key,
      JSON.stringify({ authorization: `Bearer ${key}` }),
      JSON.stringify(JSON.stringify({ key })),
      `https://host/?key=${encodeURIComponent(key)}`,
      `Basic ${Buffer.from(`user:${key}`).toString("base64")}`,
      `\u001b[31m${key.slice(0, 6)}\u001b[0m${key.slice(6)}`,
    ])
    .join("\n");
}

const session = (env) => {
  const said = everything(env);
  const toolCalls = [{ name: `tool ${env.FILE_KEY}`, arguments: said, result: said, durationMs: 1 }];
  return {
    sessionId: `id-${env.FILE_KEY}`,
    cwd: `/somewhere/${env.PROVIDER_KEY}`,
    model: `model ${env.FILE_KEY}`,
    turns: [{ input: said, output: said, toolCalls, tokens: null, latencyMs: null }],
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: null },
  };
};

const output = (role, text) => (role === "maker" ? { text } : { approved: true, text });

const BEHAVIOURS = {
  /** A good reply, full of keys: in its header, its body, its session, on stdout and stderr. */
  reply: async ({ env, role, prompt }) => {
    process.stdout.write(`${everything(env)}\n`);
    for (const character of everything(env)) writeSync(2, character);
    if (args[0] !== undefined) {
      writeFileSync(`${args[0]}.started`, "");
      for (let count = 0; count < 3000 && !existsSync(args[0]); count += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const header = JSON.stringify(output(role, `the key is ${env.FILE_KEY}`));
    const text = `---\n${header}\n---\n${everything(env)}\n${prompt.length}`;
    return { kind: "text", text, session: session(env) };
  },
  /** The key unquoted in YAML, where a mark in its place would be a list. */
  unquoted: ({ env, role }) => {
    const first = role === "maker" ? "" : "approved: true\n";
    return { kind: "text", text: `---\n${first}text: ${env.PROVIDER_KEY}\n---\n` };
  },
  output: ({ env, role }) => ({ kind: "output", value: output(role, everything(env)) }),
  throws: ({ env }) => {
    throw new Error(`401 for ${everything(env)}`);
  },
  fails: ({ env, role }) => {
    const stderr = `${everything(env)}${"x".repeat(100)}`.slice(-110);
    const outcome = `exited with 1 (${env.FILE_KEY})`;
    const fault = { code: "AGENT_FAILED", command: "x", role, outcome, stderr };
    return { kind: "failed", fault, session: session(env) };
  },
  noHeader: ({ env }) => ({ kind: "text", text: `I approve. ${everything(env)}`, session: session(env) }),
  /** Nothing of the kit is asked any more. */
  crashes: ({ env }) => {
    setTimeout(() => {
      throw new Error(`unhandled ${everything(env)}`);
    }, 0);
    return new Promise(() => setInterval(() => {}, 1000));
  },
  rejects: ({ env }) => {
    setTimeout(() => Promise.reject(new Error(`unhandled ${everything(env)}`)), 0);
    return new Promise(() => setInterval(() => {}, 1000));
  },
  /** What the author's code sees, and what its children see. */
  environment: ({ env, role }) => {
    const child = spawnSync(process.execPath, ["-p", "JSON.stringify(process.env)"], { encoding: "utf8" });
    writeFileSync(args[0], JSON.stringify({ env, own: process.env, child: JSON.parse(child.stdout) }));
    return { kind: "output", value: output(role, "seen") };
  },
};

await createAgent({ name: "leaky", run: BEHAVIOURS[behaviour] })();
