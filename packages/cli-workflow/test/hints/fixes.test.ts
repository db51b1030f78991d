import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { DoctorOutput, Finding } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { killNow, lockFile, moveElsewhere, startWorking } from "../operator/support.js";
import { MADE, mockWith } from "../sessions/support.js";
import { CORRECTED, NO_FALLBACK, startStuck } from "../support/stuck.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { commandsIn, filled, type } from "./support.js";

/** A finding and what its fix does. */
type Situation = {
  /** The check, and words of its message. */
  readonly finding: readonly [check: string, words: string];
  /** The exit codes of the commands that the fix names, in its order. */
  readonly codes: readonly number[];
  readonly answers?: Readonly<Record<string, string>>;
  /** Only so many of the commands are typed: each of them mends it. */
  readonly only?: number;
  /** Whether doctor goes on to say it: the fix names what tells more, or what a person has to bring. */
  readonly stays?: true;
};

async function left(box: Sandbox) {
  await box.json(["setup", "--agent", zoo("valid")]);
  const thread = await startTurns(box);
  const { uwf } = await startWorking(box, thread);
  await killNow(uwf);
  return { thread, pid: uwf.pid ?? 0, agent: box.read("../agent-runs.log").trim().split(" ").at(-1) ?? "" };
}

const configFile = (box: Sandbox) => join(box.root, "config.yaml");

const SITUATIONS: Readonly<Record<string, (box: Sandbox) => Promise<Situation>>> = {
  "there is no config.yaml": async () => ({
    finding: ["config.yaml", "there is no"],
    codes: [0],
  }),
  "config.yaml names no default agent": async (box) => {
    box.write(configFile(box), "agents: {}\n");
    return { finding: ["agents", "there is no default agent"], codes: [0] };
  },
  "the group may write config.yaml": async (box) => {
    await box.json(["setup", "--agent", zoo("valid")]);
    chmodSync(configFile(box), 0o664);
    return { finding: ["config.yaml", "your group can write"], codes: [0] };
  },
  "every user may write config.yaml": async (box) => {
    await box.json(["setup", "--agent", zoo("valid")]);
    chmodSync(configFile(box), 0o666);
    return { finding: ["trust", "every user may write"], codes: [0] };
  },
  "others may read .env": async (box) => {
    await startTurns(box);
    chmodSync(box.write(join(box.root, ".env"), "A_KEY=x\n"), 0o644);
    return { finding: [".env", ""], codes: [0] };
  },
  "the group may write the root": async (box) => {
    await startTurns(box);
    chmodSync(box.root, 0o775);
    return { finding: ["permissions", "your group can write"], codes: [0] };
  },
  "a provider has no key": async (box) => {
    await startTurns(box);
    const providers = { local: { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "NOBODY_SET_IT" } };
    const models = { small: { provider: "local", name: "m" } };
    box.write(configFile(box), JSON.stringify({ providers, models, defaultModel: "small" }));
    return { finding: ["keys", "NOBODY_SET_IT"], codes: [0] };
  },
  "an earlier uwf has left a forecast": async (box) => {
    await startTurns(box);
    box.write(join(box.root, "forecast.json"), "{}");
    return { finding: ["forecast.json", "is from an earlier uwf"], codes: [0] };
  },
  "a head is gone": async (box) => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    rmSync(join(box.root, "cas", `${head}.bin`));
    return { finding: ["threads.yaml", "is not in the store"], codes: [7], stays: true };
  },
  "a thread is stuck": async (box) => {
    const agent = mockWith(box, {
      maker: [{ reply: MADE }],
      checker: [{ reply: "---\nscore: high\n---\n" }],
    });
    const thread = await startStuck(box, NO_FALLBACK, agent);
    await box.uwf(["thread", "step", thread, "--agent", agent]);
    const answers = { "<file.yaml>": box.write("corrected.yaml", CORRECTED) };
    return { finding: ["threads.yaml", "is stuck"], codes: [0, 0, 0], answers };
  },
  "something refers to nothing": async (box) => {
    await box.json(["setup", "--agent", zoo("valid")]);
    const { head } = await box.json(["thread", "step", await startTurns(box)]);
    const step = await box.json<{ readonly payload: { readonly detail: string } }>(["cas", "get", head]);
    rmSync(join(box.root, "cas", `${step.payload.detail}.bin`));
    return { finding: ["references", "refers to"], codes: [0], stays: true };
  },
  "another content stands in the place of a type of uwf": async (box) => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    const { type } = await box.json<{ readonly type: string }>(["cas", "get", head]);
    copyFileSync(join(box.root, "cas", `${head}.bin`), join(box.root, "cas", `${type}.bin`));
    return { finding: ["types", type], codes: [0] };
  },
  "a lock's holder is dead": async (box) => {
    await left(box);
    return { finding: ["locks", "it is dead"], codes: [0] };
  },
  "a lock's holder cannot be judged": async (box) => {
    const { thread } = await left(box);
    moveElsewhere(lockFile(box, thread));
    return { finding: ["locks", "another-host"], codes: [0] };
  },
  "a dead process has left a lock's draft": async (box) => {
    const { thread, pid } = await left(box);
    const record = readFileSync(lockFile(box, thread));
    const file = box.write(join(box.root, "locks", `index.lock.${pid}-2-34567890abc.tmp`), record);
    // Who has died is swept after ten seconds: another pid namespace could hide a living writer.
    utimesSync(file, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    return { finding: ["locks", "was left by"], codes: [0] };
  },
  "an agent works on without its uwf": async (box) => {
    await left(box);
    writeFileSync(join(box.cwd, "go"), "");
    return { finding: ["runs", "has lost its uwf"], codes: [0], only: 1 };
  },
  "an agent has ended without its uwf": async (box) => {
    const { agent } = await left(box);
    process.kill(Number(agent), "SIGKILL");
    return { finding: ["runs", "and its agent has ended"], codes: [0] };
  },
  "a child has outlived its parent": async (box) => {
    const parent = await startTurns(box);
    const child = await startTurns(box);
    const { head } = await box.json(["thread", "show", parent]);
    await box.json(["thread", "kill", parent]);
    const line = { child, parent, head, role: "maker", item: null, at: 1 };
    box.write(join(box.root, "children.jsonl"), `${JSON.stringify(line)}\n`);
    return { finding: ["children", "which has ended"], codes: [0], only: 1 };
  },
  "an archive is not complete": async (box) => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    const ending = { head, reason: "killed", completedAt: Date.now() };
    box.write(join(box.root, "runs", thread, "ending"), `${JSON.stringify(ending)}\n`);
    return { finding: ["runs", "it is not archived completely"], codes: [0] };
  },
};

/** No test can bring them about, or their commands need another user. */
const OF_THE_MACHINE = ["timedatectl status", "sudo chown", "uwf cas gc\\` removes", "import --from-root"];

async function found(box: Sandbox, [check, words]: Situation["finding"]): Promise<Finding | undefined> {
  const { findings }: DoctorOutput = JSON.parse((await box.uwf(["doctor"])).stdout);
  return findings.find(
    (each) => each.status !== "ok" && each.check === check && each.message.includes(words),
  );
}

describe("the commands of a fix work as they stand", () => {
  it.each(Object.entries(SITUATIONS))("where %s", async (_, prepare) => {
    const box = sandbox();
    const { finding, codes, answers = {}, only, stays } = await prepare(box);
    const { fix } = (await found(box, finding)) ?? {};
    const commands = commandsIn(fix ?? "").slice(0, only);
    const typed: { readonly command: string; readonly code: number | null; readonly stderr: string }[] = [];
    for (const command of commands) {
      const line = command.includes("--api-key -") ? `echo sk-typed | ${command}` : command;
      const { code, stderr } = await type(box, filled(line, answers));
      typed.push({ command, code, stderr });
    }
    expect(
      typed.map((each) => each.code),
      JSON.stringify({ fix, typed }, null, 2),
    ).toEqual(codes);
    if (stays === undefined) expect(await found(box, finding)).toBeUndefined();
  });

  it("is tried wherever doctor's checks name one", () => {
    const folder = resolve(import.meta.dirname, "../../src/commands/doctor");
    const lines = readdirSync(folder)
      .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
      .filter((line) => /`(?:uwf|chmod|sudo|rm|timedatectl) |setupCommand\(host\)|\$\{command\}/.test(line))
      .filter(
        (line) =>
          !/^\s*(?:\/?\*|\/\/)|const message = `uwf |^const (?:SOME|MAX)|^export function setupCommand|setup --agent \$\{agent\}/.test(
            line,
          ),
      )
      .filter((line) => !OF_THE_MACHINE.some((words) => line.includes(words)));
    // One situation for each line that names a command: who adds one adds the other.
    expect(lines.map((line) => line.trim())).toHaveLength(21);
  });
});
