import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { WORDS } from "../../src/words.made.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

/** The words of a help text's list of commands, and its long options. */
function helpWords(help: string) {
  const commands = help.split("Commands:\n")[1] ?? "";
  const options = (help.split("Options:\n")[1] ?? "").split("\n\n")[0] ?? "";
  return {
    commands: [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name ?? ""),
    options: [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? ""),
  };
}

const COMMON = ["--format", "--color", "--error-format", "--help"];

describe("completions", () => {
  it("offer the commands and options that help lists", async () => {
    const box = sandbox();
    const offered = async (...words: readonly string[]) =>
      (await box.uwf(["__complete", ...words])).stdout.split("\n").filter((word) => word !== "");
    for (const path of ["", "workflow", "thread", "cas file", "thread pause", "cas walk", "workflow graph"]) {
      const words = path.split(" ").filter((word) => word !== "");
      const help = helpWords((await box.uwf([...words, "--help"])).stdout);
      expect({ path, options: (await offered(...words, "-")).sort() }).toEqual({
        path,
        options: help.options.sort(),
      });
      if (help.commands.length > 0)
        expect((await offered(...words, "")).sort()).toEqual(help.commands.sort());
    }
  });

  it("offer the values of options and arguments that have a list", async () => {
    const box = sandbox();
    const complete = async (...words: readonly string[]) => (await box.uwf(["__complete", ...words])).stdout;
    expect(await complete("completion", "")).toBe("bash\nzsh\nfish\n");
    expect(await complete("skill", "a")).toBe("author\nagent\n");
    expect(await complete("help", "exit")).toBe("exit-codes\n");
    expect(await complete("help", "thr")).toBe("thread\n");
  });

  it.each([
    [["workflow", "graph"], "text\nmermaid\ndot\nsvg\njson\nyaml\n"],
    [["workflow", "validate"], "json\nyaml\ntext\nsarif\ngithub\n"],
    [["cas", "get"], "json\nyaml\ntext\n"],
  ])("offer the formats of %j", async (command, formats) => {
    expect((await sandbox().uwf(["__complete", ...command, "--format", ""])).stdout).toBe(formats);
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
    for (const command of ["thread step", "thread export", "cas export"])
      expect(await complete(...command.split(" "), "")).toBe(`${thread}\nlatest\n`);
    expect(await complete("thread", "step", thread.slice(0, 6))).toBe(`${thread}\n`);
    expect(await complete("thread", "step", thread.slice(-4, -1))).toBe(`${thread.slice(-4)}\n`);
    expect(await complete("thread", "step", "la")).toBe("latest\n");
    expect(await complete("thread", "start", "tu")).toBe("turns\n");
    expect(await complete("thr")).toBe("thread\n");
    expect(await complete("thread", "list", "--a")).toBe("--all\n");
    expect(await complete("thread", "list", "--format", "")).toBe("json\nyaml\ntext\n");
    expect(await complete("thread", "list", "--color", "")).toBe("auto\nalways\nnever\n");
    expect(await complete("workflow", "validate", "--format", "s")).toBe("sarif\n");
    expect(await complete("thread", "step", "zzz")).toBe("");
    expect(await complete("thread", "unlock", "")).toBe(`${thread}\nlatest\n`);
    expect(await complete("log", "--follow", "--thread", "")).toBe(`${thread}\nlatest\n`);
    box.write("bin/uwf-mine", "");
    const env = { PATH: `${box.environment.PATH}:${box.cwd}/bin` };
    const agents = await box.uwf(["__complete", "thread", "step", "latest", "--agent", "uwf-mi"], { env });
    expect(agents.stdout).toBe("uwf-mine\n");
    expect(await complete("thread", "answer", thread, "--role", "")).toBe("maker\nchecker\n");
    expect(await complete("thread", "answer", "nothing", "--role", "")).toBe("");
    expect(await complete("log", "--follow", "--s")).toBe("--since\n");
  });

  it("offer nothing where there is nothing, not even latest", async () => {
    const box = sandbox();
    expect((await box.uwf(["__complete", "thread", "show", ""])).stdout).toBe("");
    expect((await box.uwf(["__complete", "--described", "thread", "show", ""])).stdout).toBe("");
  });

  it("describe threads, newest first, by short id and task, and whatever else has words", async () => {
    const box = sandbox();
    const first = await startTurns(box, "\u001b[2JFix\tthe login\nredirect");
    const second = await startTurns(
      box,
      "Then the other one, which has a task that is longer than a description may be",
    );
    const describe = async (...words: readonly string[]) =>
      (await box.uwf(["__complete", "--described", ...words])).stdout;
    expect(await describe("thread", "show", "")).toBe(
      [
        "latest\tthe newest thread of this folder",
        `${second.slice(-4)}\tturns: Then the other one, which has a task that is longer…`,
        `${first.slice(-4)}\tturns: Fix the login redirect`,
        "",
      ].join("\n"),
    );
    expect(await describe("thread", "show", first.slice(0, 24))).toContain(`${first}\tturns: Fix`);
    expect(await describe("thread", "start", "t")).toBe("turns\tTwo roles in turn\n");
    expect(await describe("thread", "answer", first, "--role", "m")).toBe("maker\tmakes\n");
    await box.json(["setup", "--agent", "node --version"]);
    expect(await describe("thread", "run", first, "--agent", "no")).toBe("node\tnode --version\n");
    expect(await describe("thread", "unl")).toBe("unlock\n");
  });

  /** A shell with uwf on PATH. */
  function inShell(box: Sandbox, shell: string, args: readonly string[]): string {
    const bin = resolve(import.meta.dirname, "../../bin");
    const env = { ...box.environment, PATH: `${bin}:${box.environment.PATH}:${process.env.PATH}` };
    const ran = spawnSync(shell, args, { cwd: box.cwd, env, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    return ran.stdout;
  }

  const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

  it("work in bash as installed", async () => {
    const box = sandbox();
    await startTurns(box);
    const script = `
      eval "$(uwf completion bash)"
      COMP_WORDS=(uwf thread start tu); COMP_CWORD=3
      _uwf
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(inShell(box, "bash", ["-c", script])).toBe("turns\n");
  });

  it.skipIf(!has("zsh"))("work in zsh as installed, with descriptions", async () => {
    const box = sandbox();
    const thread = await startTurns(box, "Fix: the login");
    // Stands for the part of zsh that draws the menu, which needs a person: a name of an array comes last.
    const script = `
      autoload -Uz compinit && compinit -u -D
      eval "$(uwf completion zsh)"
      _describe() { print -rl -- "\${(@P)argv[-1]}"; }
      _files() { print files; }
      words=(uwf thread show ''); CURRENT=4; _uwf
      words=(uwf thread start tu); CURRENT=4; _uwf
      words=(uwf workflow put ''); CURRENT=4; _uwf`;
    expect(inShell(box, "zsh", ["-f", "-c", script])).toBe(
      `latest:the newest thread of this folder\n${thread.slice(-4)}:turns: Fix: the login\nturns:Two roles in turn\nfiles\n`,
    );
  });

  it.skipIf(!has("fish"))("work in fish as installed, with descriptions", async () => {
    const box = sandbox();
    const thread = await startTurns(box, "Fix the login");
    const script =
      'uwf completion fish | source; complete -C "uwf thread show "; complete -C "uwf thread sta"';
    expect(inShell(box, "fish", ["-c", script])).toBe(
      `latest\tthe newest thread of this folder\n${thread.slice(-4)}\tturns: Fix the login\nstart\n`,
    );
  });
});

describe("help", () => {
  it("prints examples first for every command", async () => {
    const box = sandbox();
    for (const path of Object.keys(WORDS)) {
      const { code, stdout } = await box.uwf([...path.split(" "), "--help"]);
      expect({ path, code, start: stdout.slice(0, 14) }).toEqual({ path, code: 0, start: "Examples:\n  $ " });
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
