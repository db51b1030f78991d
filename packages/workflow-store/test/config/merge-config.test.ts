import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ConfigChanges, mergeConfig } from "../../src/config/index.js";
import { parseConfig } from "../../src/config/load.js";

const NOTHING: ConfigChanges = {
  provider: null,
  model: null,
  agent: null,
  aliases: [],
  defaultModel: null,
  defaultAgent: null,
};

const CHANGES: ConfigChanges = {
  provider: { name: "openrouter", baseUrl: "https://openrouter.ai/api/v1", apiKeyEnv: "OPENROUTER_API_KEY" },
  model: { alias: "sonnet", provider: "openrouter", name: "anthropic/claude-sonnet-4" },
  agent: { alias: "hermes", command: "uwf-hermes", args: null },
  aliases: [],
  defaultModel: "sonnet",
  defaultAgent: "hermes",
};

async function merged(text: string | null, changes: ConfigChanges = CHANGES): Promise<string> {
  const result = await mergeConfig(text, changes, "config.yaml");
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

describe("mergeConfig", () => {
  it.each([null, "", "\n", "# mine\n", "---\n", "\ufeff", "providers:\nmodels: null\n", "{}\n"])(
    "writes a configuration that loads, on top of %j",
    async (text) => {
      const result = await parseConfig(await merged(text), "config.yaml");
      expect(result).toMatchObject({ ok: true, value: { warnings: [], config: { defaultAgent: "hermes" } } });
    },
  );

  it("keeps comments, unknown keys, order and other entries", async () => {
    const text = `# mine
future: {a: 1} # later
agents:
  # the good one
  cursor:
    command: uwf-cursor # here
    args: [--fast]
providers: {openai: {baseUrl: "https://api.openai.com/v1", apiKeyEnv: OPENAI_API_KEY}}
defaultAgent: cursor
`;
    const result = await merged(text);
    for (const comment of ["# mine", "# later", "# the good one", "# here"])
      expect(result).toContain(comment);
    expect(Object.keys(parse(result))).toEqual([
      "future",
      "agents",
      "providers",
      "defaultAgent",
      "models",
      "defaultModel",
    ]);
    expect(parse(result)).toMatchObject({
      future: { a: 1 },
      agents: {
        cursor: { command: "uwf-cursor", args: ["--fast"] },
        hermes: { command: "uwf-hermes", args: [], idleSeconds: 900 },
      },
      providers: { openai: { apiKeyEnv: "OPENAI_API_KEY" }, openrouter: { apiKeyEnv: "OPENROUTER_API_KEY" } },
      defaultAgent: "hermes",
    });
  });

  it("keeps comments of a file that has nothing else", async () => {
    expect(await merged("# mine\n\n# and this\n")).toMatch(/^# mine\n# and this\n/);
  });

  it("gives an agent a limit on silence unless it has a limit", async () => {
    const limits = async (entry: string) => {
      const { idleSeconds, timeoutSeconds } = parse(await merged(`agents: {hermes: {${entry}}}\n`)).agents
        .hermes;
      return [idleSeconds, timeoutSeconds];
    };
    expect(await limits("command: old")).toEqual([900, undefined]);
    expect(await limits("command: old, idleSeconds: 60")).toEqual([60, undefined]);
    expect(await limits("command: old, timeoutSeconds: 60")).toEqual([undefined, 60]);
  });

  it("keeps what an entry has besides, and its arguments unless others are given", async () => {
    const text = "agents: {hermes: {command: old, args: [a], timeoutSeconds: 9}}\n";
    expect(parse(await merged(text)).agents.hermes).toEqual({
      command: "uwf-hermes",
      args: ["a"],
      timeoutSeconds: 9,
    });
    const agent = { alias: "hermes", command: "uwf-hermes", args: ["b"] };
    expect(parse(await merged(text, { ...CHANGES, agent })).agents.hermes.args).toEqual(["b"]);
  });

  it("takes the variable away from a provider that needs no key", async () => {
    const text = "providers: {local: {baseUrl: 'http://x', apiKeyEnv: OLD, region: eu}}\n";
    const provider = { name: "local", baseUrl: "http://localhost:1/v1", apiKeyEnv: null };
    const result = await merged(text, { ...NOTHING, provider });
    expect(parse(result)).toEqual({
      providers: { local: { baseUrl: "http://localhost:1/v1", region: "eu" } },
    });
  });

  it("changes nothing but the layout when nothing is asked for", async () => {
    const text = "# mine\nagents:\n  a:\n    command: x\n";
    expect(await merged(text, NOTHING)).toBe(text);
    expect(await merged(await merged(text))).toBe(await merged(text));
  });

  it("keeps CRLF", async () => {
    const result = await merged("# mine\r\nfuture: 1\r\n");
    expect(result.replaceAll("\r\n", "")).not.toContain("\n");
    expect(parse(result).future).toBe(1);
  });

  it("takes time in proportion to the file", async () => {
    const many = Array.from({ length: 12_000 }, (_, index) => `  a${index}: {command: x}\n`).join("");
    const result = await parseConfig(await merged(`agents:\n${many}`, CHANGES), "f");
    expect(result.ok && Object.keys(result.value.config.agents)).toHaveLength(12_001);
  });

  it("refuses doubled keys all the same", async () => {
    expect(await mergeConfig("agents: {}\nagents: {}\n", CHANGES, "f")).toMatchObject({ ok: false });
  });

  it("carries names that look like something else", async () => {
    const agent = { alias: "__proto__", command: "true", args: ["1", "- a", "x: y"] };
    const result = await parseConfig(await merged(null, { ...NOTHING, agent }), "f");
    const agents = result.ok ? Object.entries(result.value.config.agents) : [];
    expect(agents).toMatchObject([["__proto__", { command: "true", args: ["1", "- a", "x: y"] }]]);
  });

  it.each<[string, string]>([
    ["a syntax error", "agents: [\n"],
    ["an anchor", "agents: &a {}\n"],
    ["a list", "- a\n"],
    ["a section that is a list", "agents: [a]\n"],
    ["a section that is a text", "providers: x\n"],
    ["an entry that is a text", "agents: {hermes: uwf-hermes}\n"],
  ])("refuses to build on %s", async (_what, text) => {
    expect(await mergeConfig(text, CHANGES, "config.yaml")).toMatchObject({
      ok: false,
      error: { code: "INVALID_CONFIG", file: "config.yaml" },
    });
  });
});
