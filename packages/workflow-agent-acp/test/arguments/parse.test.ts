import { describe, expect, it } from "vitest";
import { KINDS, parseArguments } from "../../src/arguments.js";

const DEFAULTS = { allow: new Set(), deny: new Set(), commands: [], model: null, idleSeconds: 900 };

describe("the arguments of uwf-acp", () => {
  it.each([
    [
      ["--", "opencode", "acp"],
      ["opencode", "acp"],
    ],
    [
      ["opencode", "acp"],
      ["opencode", "acp"],
    ],
    [
      ["--", "npx", "-y", "x", "--", "--allow", "y"],
      ["npx", "-y", "x", "--", "--allow", "y"],
    ],
    [["--"], []],
    [[], []],
  ])("end where the agent's command begins: %j", (words, command) => {
    expect(parseArguments(words)).toEqual({ ok: true, value: { ...DEFAULTS, command } });
  });

  it("take option values as --name value and --name=value", () => {
    const words = [
      "--allow",
      "read,fetch",
      "--deny=execute, edit",
      "--allow-command",
      "npm  test",
      "--allow-command=npm run *",
      "--model",
      "a/b=c",
      "--idle=5",
      "--",
      "x",
    ];
    expect(parseArguments(words)).toEqual({
      ok: true,
      value: {
        allow: new Set(["read", "fetch"]),
        deny: new Set(["execute", "edit"]),
        commands: [
          ["npm", "test"],
          ["npm", "run", "*"],
        ],
        model: "a/b=c",
        idleSeconds: 5,
        command: ["x"],
      },
    });
  });

  it("accept all kinds at once, and no idle limit", () => {
    expect(parseArguments(["--allow", "all", "--idle", "0", "x"])).toMatchObject({
      value: { allow: new Set(KINDS), idleSeconds: null },
    });
  });

  it.each([
    [["--yes", "--", "x"], "unknown option --yes before the command"],
    [["-x"], "unknown option -x"],
    [["--model"], "--model needs a value"],
    [["--model="], "--model needs a value"],
    [["--model", "--", "x"], "--model needs a value"],
    [["--allow", "reed", "--", "x"], '--allow: there is no kind "reed"; the kinds are read, edit,'],
    ...["npm test && ls", "npm $x", "npm *.ts", "npm test > x", "*", "ls;", "npm 'test'"].map(
      (command): [string[], string] => [
        ["--allow-command", command, "--", "x"],
        `--allow-command takes one command in plain words, with a * at most as its last word, not ${command}`,
      ],
    ),
    [["--deny", "read,,", "--", "x"], '--deny: there is no kind ""'],
    [["--idle", "1.5", "--", "x"], "--idle takes whole seconds"],
    [["--idle", "9999999", "--", "x"], "--idle takes whole seconds"],
  ])("are refused with a sentence: %j", (words, reason) => {
    expect(parseArguments(words)).toEqual({ ok: false, error: expect.stringContaining(reason) });
  });
});
