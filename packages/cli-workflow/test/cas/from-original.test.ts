import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";

const ORIGINAL = resolve(import.meta.dirname, "../../../json-cas/test/fixtures/store-0.4/cas");

it("doctor names a store of the original program, and its fix takes the nodes over into a new root", async () => {
  const box = sandbox();
  cpSync(ORIGINAL, join(box.root, "cas"), { recursive: true });
  const { findings } = await box.json<{
    readonly findings: readonly { readonly check: string; readonly message: string; readonly fix: string }[];
  }>(["doctor"]);
  const found = findings.find(({ check }) => check === "format");
  expect(found?.message).toContain("the store was written by json-cas 0.4");
  const [, command = ""] = /`uwf (cas import [^`]*)`/.exec(found?.fix ?? "") ?? [];
  const fresh = sandbox();
  const taken = await fresh.json<{ readonly taken: number }>(command.split(" "));
  expect(taken.taken).toBe(28);
  expect(await fresh.json(["cas", "has", "120VN86QG7052"])).toEqual({ exists: true });
});
