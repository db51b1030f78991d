import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@uncaged/json-cas";
import type { CasRef } from "@uncaged/workflow-protocol";
import { expandDetail, readNode } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentContext, AgentReply } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { makeThread, type TestThread } from "../helpers/thread.js";

const KEY = "sk-0123456789abcdef";
const META = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

let made: TestThread;
beforeEach(async () => {
  made = await makeThread({ writer: META });
});
afterEach(() => made.remove());

type Run = (context: AgentContext) => AgentReply;

async function play(run: Run, env: Readonly<Record<string, string>> = {}) {
  const host = makeHost([made.thread, "writer"], made.root, env);
  const code = await runAgent({ name: "uwf-test", run }, host);
  return { code, ...host.written, env: host.env };
}

function stored(out: string) {
  const { cas } = made.storage;
  const hash = out.trim() as CasRef;
  const step = readNode(cas, "stepNode", hash);
  if (!step.ok) throw new Error(step.error.code);
  const { output, detail } = step.value.payload;
  return { output: cas.get(output)?.payload, detail: JSON.stringify(expandDetail(cas, detail)) };
}

const dotEnv = (text: string): void => writeFileSync(join(made.root, ".env"), text, { mode: 0o600 });

describe("an agent that a person runs by hand", () => {
  it("knows the keys that config.yaml names, too", async () => {
    const providers = { p: { baseUrl: "http://127.0.0.1:9", apiKeyEnv: "NAMED" } };
    writeFileSync(join(made.root, "config.yaml"), JSON.stringify({ providers }));
    const { code, out } = await play(({ env }) => ({ kind: "output", value: { text: `${env.NAMED}` } }), {
      NAMED: KEY,
    });
    expect(code).toBe(0);
    expect(stored(out).output).toEqual({ text: "[redacted:NAMED]" });
  });

  it("does not go on with a config.yaml that cannot be read", async () => {
    writeFileSync(join(made.root, "config.yaml"), "providers: [");
    const { code, err } = await play(() => ({ kind: "output", value: { text: "x" } }));
    expect(code).toBe(4);
    expect(err).toContain("error[INVALID_CONFIG]");
  });
});

describe("an agent that uwf runs", () => {
  it("gets the names and reads no config.yaml", async () => {
    writeFileSync(join(made.root, "config.yaml"), "providers: [");
    const told = { UWF_KEY_NAMES: "OTHER,NAMED", NAMED: KEY };
    const { out } = await play(({ env }) => ({ kind: "output", value: { text: `${env.NAMED}` } }), told);
    expect(stored(out).output).toEqual({ text: "[redacted:NAMED]" });
  });

  it("stores what was found valid: a value is judged without the key that stood in it", async () => {
    dotEnv(`K=${KEY}\n`);
    const strict = await makeThread({
      writer: { ...META, properties: { text: { type: "string", pattern: "^sk-" } } },
    });
    try {
      writeFileSync(join(strict.root, ".env"), `K=${KEY}\n`, { mode: 0o600 });
      const host = makeHost([strict.thread, "writer"], strict.root, { UWF_KEY_NAMES: "" });
      const run: Run = ({ env }) => ({ kind: "text", text: `---\ntext: ${env.K}\n---\n` });
      expect(await runAgent({ name: "uwf-test", run }, host)).toBe(6);
      expect(host.written.err).toContain("[redacted:K]");
      expect(host.written.err).not.toContain(KEY);
    } finally {
      strict.remove();
    }
  });

  it("gets with a limit only the listed part of .env, in its environment and in that of its children", async () => {
    dotEnv(`K=${KEY}\nLISTED=yes\n`);
    let seen: AgentContext["env"] = {};
    const { code, env } = await play(
      (context) => {
        seen = context.env;
        return { kind: "text", text: `---\ntext: read ${KEY} from the file\n---\n` };
      },
      { UWF_KEY_NAMES: "", UWF_AGENT_ENV: "LISTED,UNKNOWN" },
    );
    expect(code).toBe(0);
    for (const view of [seen, env]) {
      expect(view).toMatchObject({ LISTED: "yes" });
      expect(view.K).toBeUndefined();
    }
  });

  it("has keys redacted that it does not have in its environment but in .env", async () => {
    dotEnv(`K=${KEY}\n`);
    const run: Run = () => ({ kind: "text", text: `---\ntext: found ${KEY}\n---\n${KEY}` });
    const { out } = await play(run, { UWF_KEY_NAMES: "", UWF_AGENT_ENV: "" });
    const { output, detail } = stored(out);
    expect(output).toEqual({ text: "found [redacted:K]" });
    expect(detail).not.toContain(KEY);
  });

  it("leaves a report without keys when it fails", async () => {
    dotEnv(`K=${KEY}\n`);
    const run: Run = () => ({ kind: "text", text: `no header ${KEY}`, session: { sessionId: `id ${KEY}` } });
    const { code, err } = await play(run, { UWF_KEY_NAMES: "" });
    expect(code).toBe(6);
    const raw = /kept as ([0-9A-Z]{13})/.exec(err)?.[1] ?? "";
    expect(readFileSync(join(made.root, "cas", `${raw}.bin`), "utf8")).toContain("no header [redacted:K]");
  });

  it("leaves none in the report of its run, whatever its author says or throws", async () => {
    dotEnv(`K=${KEY}\n`);
    const dir = join(made.root, "runs", made.thread, "token");
    mkdirSync(dir, { recursive: true });
    const outcome = `was refused with ${KEY}`;
    const fault = { code: "AGENT_FAILED", command: "x", role: "writer", outcome, stderr: "" } as const;
    const ways: readonly Run[] = [
      () => ({ kind: "failed", fault: { ...fault, message: `sorry, ${KEY}`, hint: `change ${KEY}` } }),
      () => ({ kind: "failed", fault, session: { sessionId: `id ${KEY}`, model: KEY } }),
      () => {
        throw new Error(`a bug with ${KEY}`);
      },
    ];
    for (const run of ways) {
      const { code, err } = await play(run, { UWF_KEY_NAMES: "", UWF_RUN: "token" });
      const report = readFileSync(join(dir, "report.json"), "utf8");
      expect({ code, err, fault: report.includes('"fault":{') }).toEqual({ code: 6, err: "", fault: true });
      expect(report).toContain("[redacted:K]");
      expect(report).not.toContain(KEY);
    }
  });
});

describe("a .env of the working folder that calls a word a key", () => {
  const VERDICT: JsonObject = {
    type: "object",
    properties: { verdict: { type: "string" }, hasFailed: { type: "boolean" }, review: { type: "string" } },
  };
  const TOLD = { UWF_KEY_NAMES: "" };
  let asked: number;

  beforeEach(async () => {
    made.remove();
    made = await makeThread({ writer: VERDICT });
    asked = 0;
  });

  async function reply(given: AgentReply, dotEnv = "API_KEY=rejected\n") {
    const cwd = join(made.root, "work");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, ".env"), dotEnv);
    const host = { ...makeHost([made.thread, "writer"], made.root, TOLD), cwd };
    const run = () => given;
    const again = (): AgentReply => {
      asked += 1;
      return { kind: "text", text: "---\nverdict: accepted\n---\n" };
    };
    const code = await runAgent({ name: "uwf-test", run, continue: again }, host);
    return { code, asked, ...host.written };
  }

  it.each<readonly [string, AgentReply]>([
    ["a field of a reply", { kind: "text", text: "---\nverdict: rejected\n---\n" }],
    ["a field of an output", { kind: "output", value: { verdict: "rejected" } }],
    [
      "a reply in a session that could go on",
      { kind: "text", text: "---\nverdict: rejected\n---\n", session: { sessionId: "s" } },
    ],
  ])(
    "writes no other word in %s: there is no step, and nobody is asked for another word",
    async (_what, given) => {
      const ran = await reply(given);
      expect(ran).toMatchObject({ code: 6, out: "", asked: 0 });
      expect(ran.err).toContain("/verdict: the .env of the working folder calls this word a key (API_KEY)");
      expect(ran.err).toContain("give API_KEY another value there");
    },
  );

  it("takes no field away by its name", async () => {
    const ran = await reply({ kind: "output", value: { hasFailed: true } }, "API_KEY=hasFailed\n");
    expect(ran).toMatchObject({ code: 6, out: "" });
    expect(ran.err).toContain("/[redacted:API_KEY]: the .env");
  });

  it("has no model read a reply from which it took words", async () => {
    const ran = await reply({ kind: "text", text: "I have rejected it." });
    expect(ran).toMatchObject({ code: 6, out: "" });
    expect(ran.err).toContain("extract by a model: the reply: the .env of the working folder");
  });

  it("is taken out of a long text, which no condition compares", async () => {
    const ran = await reply({
      kind: "output",
      value: { review: `I have rejected it${", and why".repeat(9)}` },
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(stored(ran.out).output).toMatchObject({ review: expect.stringContaining("[redacted:API_KEY]") });
  });
});
