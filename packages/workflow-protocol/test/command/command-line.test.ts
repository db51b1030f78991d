import { describe, expect, it } from "vitest";
import { commandLine, programOf } from "../../src/command.js";

describe("an agent's command as one line", () => {
  it.each([
    [["uwf-hermes"], "uwf-hermes", "uwf-hermes"],
    [["./bin/uwf-claude", "--model", "opus"], "./bin/uwf-claude --model opus", "uwf-claude"],
    [["/my tools/uwf-pi", ""], "'/my tools/uwf-pi' ''", "uwf-pi"],
    [["/it's/here", "a b"], "'/it'\\''s/here' 'a b'", "here"],
    [["uwf-exec", "--", "sh", "-c", "echo $HOME\nls"], "uwf-exec -- sh -c 'echo $HOME\nls'", "uwf-exec"],
  ] as const)("is what a shell would take: %j", (words, line, program) => {
    expect(commandLine(words)).toBe(line);
    expect(programOf(line)).toBe(program);
  });

  it("is whole with 1,000 characters, and cut to as many with one more", () => {
    expect(commandLine(["a".repeat(1000)])).toBe("a".repeat(1000));
    expect(commandLine(["a".repeat(1001)])).toBe(`${"a".repeat(1000)}…`);
  });

  it("is cut where it is long, and never within a character", () => {
    const line = commandLine(["uwf-exec", "💥".repeat(600)]);
    expect(line).toMatch(/💥…$/u);
    expect(line.length).toBeLessThanOrEqual(1001);
    expect(programOf(line)).toBe("uwf-exec");
  });

  it.each(["uwf-claude", "", "'unclosed"])(
    "has a program whatever a step of another time says: %j",
    (line) => {
      expect(programOf(line)).toBe(line.startsWith("'") ? "" : line);
    },
  );
});
