import type { WorkflowConfig } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { extractModel } from "../../src/llm/model.js";

const CONFIG: WorkflowConfig = {
  providers: {
    open: { baseUrl: "https://open/v1", apiKeyEnv: "OPEN_API_KEY" },
    local: { baseUrl: "http://localhost:1/v1", apiKeyEnv: null },
  },
  models: { big: { provider: "open", name: "vendor/big" }, small: { provider: "local", name: "small" } },
  agents: {},
  defaultAgent: null,
  agentOverrides: {},
  defaultModel: "big",
  modelOverrides: {},
  notify: null,
  limits: {},
  maxDepth: null,
};

const ENV = { OPEN_API_KEY: "k" };

function nameOf(changes: Partial<WorkflowConfig>): string {
  const model = extractModel({ ...CONFIG, ...changes }, ENV);
  return model.ok ? model.value.name : model.error;
}

describe("the extract's model", () => {
  it("is the override, else the one named extract, else the default", () => {
    const extract = { provider: "local", name: "named" };
    expect(nameOf({ models: { ...CONFIG.models, extract }, modelOverrides: { extract: "small" } })).toBe(
      "small",
    );
    expect(nameOf({ models: { ...CONFIG.models, extract } })).toBe("named");
    expect(nameOf({})).toBe("vendor/big");
  });

  it("comes with its provider's key", () => {
    expect(extractModel(CONFIG, ENV)).toMatchObject({
      ok: true,
      value: { name: "vendor/big", baseUrl: "https://open/v1", apiKey: "k" },
    });
    expect(extractModel({ ...CONFIG, defaultModel: "small" }, {})).toMatchObject({ value: { apiKey: null } });
  });

  it("is missing for a reason", () => {
    expect(extractModel(null, ENV)).toMatchObject({ error: expect.stringContaining("no config.yaml") });
    expect(nameOf({ defaultModel: null })).toContain("names no model");
    expect(nameOf({ defaultModel: "toString" })).toContain("no model toString");
    expect(nameOf({ models: { big: { provider: "gone", name: "x" } } })).toContain("no provider gone");
    expect(extractModel(CONFIG, { OPEN_API_KEY: "" })).toMatchObject({
      error: expect.stringContaining("OPEN_API_KEY is not set"),
    });
  });
});
