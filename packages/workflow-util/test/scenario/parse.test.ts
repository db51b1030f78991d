import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/index.js";

async function problemsOf(text: string): Promise<string> {
  const parsed = await parseScenario(text, "s.yaml");
  return parsed.ok ? "" : parsed.problems.join("\n");
}

describe("a scenario", () => {
  it("has defaults for an entry's missing keys", async () => {
    const parsed = await parseScenario("roles:\n  dev:\n    - reply: hi\nexpect: [dev]\n", "s.yaml");
    const silent = { delayMs: 0, exitCode: 0, stdoutNoise: null, stderr: null };
    const entry = {
      reply: "hi",
      ...silent,
      sessionId: null,
      sessionLost: false,
      continue: [],
      usage: null,
    };
    expect(parsed).toEqual({
      ok: true,
      scenario: {
        file: "s.yaml",
        texts: new Map(),
        roles: new Map([["dev", [entry]]]),
        expect: ["dev"],
        end: null,
        prompt: null,
      },
    });
  });

  it("may be JSON", async () => {
    expect(await parseScenario('{"roles": {"dev": [{"exitCode": 3}]}}', "s.json")).toMatchObject({
      ok: true,
    });
  });

  const wrong: readonly (readonly [string, string, string])[] = [
    ["is empty", "", "a map with the key roles"],
    ["is no YAML", "roles: [", "Flow sequence"],
    ["is neither JSON nor YAML", '{"roles": [', "Flow sequence"],
    ["has no roles", "expect: []", "roles must be a map"],
    ["has a role without entries", "roles: {dev: []}", "roles.dev must be a list of at least one entry"],
    ["has an unknown key", "roles: {dev: [{replay: x}]}", "unknown key replay; known are reply"],
    ["has an entry without reply", "roles: {dev: [{delayMs: 1}]}", "entry 1 of dev needs a reply"],
    ["has a reply that is no text", "roles: {dev: [{reply: 5}]}", "reply in entry 1 of dev must be a text"],
    ["has a negative delay", "roles: {dev: [{reply: a, delayMs: -1}]}", "delayMs in entry 1 of dev"],
    ["has an exit code above 255", "roles: {dev: [{exitCode: 256}]}", "exitCode in entry 1 of dev"],
    [
      "has a flag that is none",
      "roles: {dev: [{reply: a, sessionLost: 1}]}",
      "sessionLost in entry 1 of dev",
    ],
    ["has a continue that is no list", "roles: {dev: [{reply: a, continue: b}]}", "must be a list of texts"],
    ["has a usage that is no map", "roles: {dev: [{reply: a, usage: 5}]}", "usage in entry 1 of dev must be"],
    [
      "has a negative cost",
      "roles: {dev: [{reply: a, usage: {inputTokens: 1, outputTokens: 1, costUsd: -1}}]}",
      "costUsd of usage",
    ],
    ["expects an unknown role", "roles: {dev: [{reply: a}]}\nexpect: [tester]", "expect names tester"],
    ["expects no list", "roles: {dev: [{reply: a}]}\nexpect: dev", "expect must be a list"],
    ["expects another end", "roles: {dev: [{reply: a}]}\nend: done", "end must be $END or $FAIL"],
    ["has a prompt that is no text", "roles: {dev: [{reply: a}]}\nprompt: 7", "prompt must be a text"],
  ];

  for (const [name, text, words] of wrong) {
    it(`is refused with a sentence when it ${name}`, async () =>
      expect(await problemsOf(text)).toContain(words));
  }

  it("says on which line each problem is, in the order of the file", async () => {
    const text = `# The first try
roles:
  maker:
    - reply: 5
      usage:
        inputTokens: 1
        outputTokens: many
    - exitCode: 0
      stdErr: oops
expect:
  - maker
  - checker
end: later
other: 1
`;
    expect((await problemsOf(text)).split("\n")).toEqual([
      "line 4: reply in entry 1 of maker must be a text; quote it or write it as a block (|)",
      "line 7: outputTokens of usage in entry 1 of maker must be a whole number from 0 to 1000000000000",
      "line 8: entry 2 of maker needs a reply, or an exitCode other than 0",
      expect.stringMatching(/^line 9: entry 2 of maker has the unknown key stdErr; known are reply/),
      "line 12: expect names checker, which is not in roles",
      "line 13: end must be $END or $FAIL",
      expect.stringMatching(/^line 14: the scenario has the unknown key other/),
    ]);
    const json = '{\n  "roles": {\n    "maker": [{}]\n  }\n}';
    expect(await problemsOf(json)).toBe(
      "line 3: entry 1 of maker needs a reply, or an exitCode other than 0",
    );
    expect(await problemsOf("")).toBe("line 1: a scenario is a map with the key roles");
    const alias = "roles:\n  maker: &entries\n    - delayMs: 1\n  checker: *entries\n";
    expect(await problemsOf(alias)).toContain("line 4: entry 1 of checker needs a reply");
  });
});
