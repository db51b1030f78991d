import { CasError } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { refusal } from "../../src/attempt.js";
import { attempt, attemptAsync } from "../../src/index.js";
import { HASH_A } from "../support/index.js";

const FAULT = { code: "NODE_DAMAGED", hash: HASH_A, file: null, reason: "torn" } as const;

function refuse(): never {
  throw new CasError(FAULT);
}

describe("attempt", () => {
  it("turns what the node store throws into a fault", async () => {
    expect(attempt(() => 1)).toEqual({ ok: true, value: 1 });
    expect(attempt(refuse)).toEqual({ ok: false, error: FAULT });
    expect(await attemptAsync(async () => 1)).toEqual({ ok: true, value: 1 });
    expect(await attemptAsync(async () => refuse())).toEqual({ ok: false, error: FAULT });
    expect(await attemptAsync(refuse)).toEqual({ ok: false, error: FAULT });
  });

  it("lets a bug fly", async () => {
    const bug = () => {
      throw new TypeError("bug");
    };
    expect(() => attempt(bug)).toThrow(TypeError);
    await expect(attemptAsync(async () => bug())).rejects.toThrow(TypeError);
    expect(() => refusal(new TypeError("bug"))).toThrow(TypeError);
  });

  it("gives the sentence of a refusal", () => {
    expect(refusal(new CasError(FAULT))).toContain("torn");
  });
});
