import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { GROUPS, OPTIONS, ROOT_WORDS } from "../../src/commands/completion.js";
import { sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

/** The words of a help text's list of commands, and its long options. */
function helpWords(help: string) {
  const commands = help.split("Commands:\n")[1] ?? "";
  const options = (help.split("Options:\n")[1] ?? "").split("\n\n")[0] ?? "";
  return {
    commands: [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name),
    options: [...options.matchAll(/--([a-z-]+)/g)].map(([, name]) => `--${name}`),
  };
}

const COMMON = ["--format", "--color", "--error-format", "--help"];

describe("completions", () => {
  it("know the commands and options that the program has", async () => {
    const box = sandbox();
    const root = helpWords((await box.uwf(["--help"])).stdout);
    expect([...ROOT_WORDS].sort()).toEqual(root.commands.sort());
    for (const group of ["workflow", "thread", "cas"]) {
      const { commands } = helpWords((await box.uwf([group, "--help"])).stdout);
      expect([...(GROUPS[group] ?? [])].sort()).toEqual(commands.sort());
    }
    for (const [command, known] of Object.entries(OPTIONS)) {
      const { options } = helpWords((await box.uwf([...command.split(" "), "--help"])).stdout);
      expect({ command, options: [...known].sort() }).toEqual({
        command,
        options: [...new Set(options)].filter((option) => !COMMON.includes(option)).sort(),
      });
    }
  });

  it("offer nothing for words that every object has", async () => {
    const box = sandbox();
    expect(await box.uwf(["__complete", "toString", ""])).toMatchObject({ code: 0, stdout: "" });
    expect((await box.uwf(["__complete", "constructor", "-"])).stdout.trim().split("\n")).toEqual(COMMON);
  });

  it("offer thread ids and workflow names", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const complete = async (...words: readonly string[]) => (await box.uwf(["__complete", ...words])).stdout;
    expect(await complete("thread", "step", "")).toBe(`${thread}\n`);
    expect(await complete("thread", "start", "tu")).toBe("turns\n");
    expect(await complete("thr")).toBe("thread\n");
    expect(await complete("thread", "list", "--a")).toBe("--all\n");
    expect(await complete("thread", "list", "--format", "")).toBe("json\nyaml\n");
    expect(await complete("thread", "step", "zzz")).toBe("");
    expect(await complete("thread", "unlock", "")).toBe(`${thread}\n`);
    expect(await complete("log", "--follow", "--thread", "")).toBe(`${thread}\n`);
    expect(await complete("log", "--follow", "--s")).toBe("--since\n");
  });

  it("work in bash as installed", async () => {
    const box = sandbox();
    await startTurns(box);
    const bin = resolve(import.meta.dirname, "../../bin");
    const script = `
      export PATH="${bin}:$PATH"
      eval "$(uwf completion bash)"
      COMP_WORDS=(uwf thread start tu); COMP_CWORD=3
      _uwf
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: box.home,
      UWF_RUNTIME: "node",
      UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
    };
    const ran = spawnSync("bash", ["-c", script], { cwd: box.cwd, env, encoding: "utf8" });
    expect({ stdout: ran.stdout, stderr: ran.stderr }).toEqual({ stdout: "turns\n", stderr: "" });
  });
});

describe("help", () => {
  it("prints examples first for every command", async () => {
    const box = sandbox();
    for (const [group, names] of Object.entries(GROUPS).filter(([name]) =>
      ["workflow", "thread", "cas"].includes(name),
    )) {
      for (const name of names) {
        const { code, stdout } = await box.uwf([group, name, "--help"]);
        expect({ name, code, start: stdout.slice(0, 9) }).toEqual({ name, code: 0, start: "Examples:" });
        expect(stdout).toContain(`  $ `);
      }
    }
  });

  it("prints examples first for commands outside of groups", async () => {
    const box = sandbox();
    for (const name of ["log", "doctor", "setup", "completion"]) {
      expect((await box.uwf([name, "--help"])).stdout).toMatch(/^Examples:\n {2}\$ /);
    }
  });

  it("lists the exit codes", async () => {
    const { stdout } = await sandbox().uwf(["help", "exit-codes"]);
    for (const code of [
      "0",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "74",
      "75",
      "129",
      "130",
      "143",
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\S`, "m"));
    }
  });
});
