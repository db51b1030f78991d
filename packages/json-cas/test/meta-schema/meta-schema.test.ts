import { describe, expect, it } from "vitest";
import {
  checkSchema,
  computeHash,
  META_SCHEMA,
  META_SCHEMA_HASH,
  selfHash,
  validatePayload,
  verify,
} from "../../src/index.js";

describe("the meta-schema", () => {
  it("is fixed: another hash would rename every type of every store", () => {
    expect(META_SCHEMA_HASH).toBe("6SRVT3BFQTWV3");
    expect(selfHash(META_SCHEMA)).toBe(META_SCHEMA_HASH);
  });

  it("is its own type", () => {
    expect(computeHash(META_SCHEMA_HASH, META_SCHEMA)).toBe(META_SCHEMA_HASH);
    expect(verify(META_SCHEMA_HASH, { type: META_SCHEMA_HASH, payload: META_SCHEMA, timestamp: 0 })).toBe(
      true,
    );
  });

  it("is valid under itself", () => {
    expect(validatePayload(META_SCHEMA, META_SCHEMA)).toEqual([]);
    expect(checkSchema(META_SCHEMA)).toEqual([]);
  });
});
