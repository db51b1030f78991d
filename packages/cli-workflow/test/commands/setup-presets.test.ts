import { describe, expect, it } from "vitest";
import { PROVIDER_PRESETS } from "../../src/commands/setup/flags.js";

describe("PROVIDER_PRESETS", () => {
  it("has one entry per name, each with a base URL that can be appended to", () => {
    const names = PROVIDER_PRESETS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, baseUrl } of PROVIDER_PRESETS) {
      expect(name).toMatch(/^[a-z]+$/);
      if (baseUrl !== null) expect(baseUrl).toMatch(/^https?:\/\/[^\s/]+\/.*[^/]$/);
    }
  });

  it("asks for the URL only where it is custom, and for no key on this machine", () => {
    expect(PROVIDER_PRESETS.filter(({ baseUrl }) => baseUrl === null).map(({ name }) => name)).toEqual([
      "custom",
    ]);
    for (const { baseUrl, needsKey } of PROVIDER_PRESETS)
      expect(needsKey).toBe(baseUrl?.includes("localhost") !== true);
  });
});
