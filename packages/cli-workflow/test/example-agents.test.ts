import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES, type Sandbox, sandbox } from "./support/uwf.js";

const repository = resolve(EXAMPLES, "..");
const kitBin = join(repository, "packages/workflow-agent-kit/bin");

/** Stands for a model: takes the prompt, and replies as the analyst of `analyze-topic` if it is the prompt. */
const MODEL = `#!/bin/sh
grep -q '^You act as analyst' || exit 9
printf -- '---\\nthesis: "%s"\\nkeyPoints: [one, two, three]\\nconfidence: 0.5\\n---\\nBecause.\\n' "$1"
`;

let box: Sandbox;

beforeAll(async () => {
  box = sandbox();
  chmodSync(box.write("model", MODEL), 0o755);
  cpSync(join(EXAMPLES, "agents"), join(box.cwd, "agents"), { recursive: true });
  await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")]);
});

/** What Node.js 22.18 does by itself, and Node.js 20 does not: the types are taken out. */
function withoutTypes(): string {
  symlinkSync(join(repository, "node_modules"), join(box.cwd, "node_modules"));
  box.write("package.json", '{ "type": "module" }');
  const options =
    "--ignoreConfig --strict --module nodenext --target es2023 --types node --skipLibCheck".split(" ");
  const tsc = join(repository, "node_modules/.bin/tsc");
  execFileSync(tsc, [...options, "--outDir", "built", "agents/uwf-pipe.ts"], { cwd: box.cwd, stdio: "pipe" });
  const built = join(box.cwd, "built/uwf-pipe.js");
  chmodSync(built, 0o755);
  return built;
}

describe.each(["uwf-pipe.ts", "uwf-pipe.sh"])("examples/agents/%s", (name) => {
  it("plays a role with whatever program replies", async () => {
    const agent = name.endsWith(".ts") ? withoutTypes() : join(box.cwd, "agents", name);
    const env = { PATH: `${kitBin}:${box.environment.PATH}` };
    const { thread } = await box.json(["thread", "start", "analyze-topic", "-p", "Why small tools?"]);
    const command = `${agent} ./model 'in two words'`;
    expect(await box.json(["thread", "step", thread, "--agent", command], { env })).toMatchObject({
      done: true,
    });
    const { steps } = await box.json(["thread", "steps", thread]);
    expect(steps[1]).toMatchObject({ output: { thesis: "in two words" }, agent: command });
    const { stdout } = await box.uwf(["thread", "step-details", steps[1]?.hash ?? "", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      prompt: { text: expect.stringContaining("Why small tools?") },
      raw: { text: expect.stringContaining("Because.") },
    });
  });
});
