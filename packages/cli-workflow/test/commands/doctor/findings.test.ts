import { fault } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { bounded, faulty, fine, warning } from "../../../src/commands/doctor/findings.js";

describe("findings", () => {
  it("of a fault have its sentence, its exit code, and a fix that names the file", () => {
    const damaged = fault("STORE_DAMAGED", { file: "/root/threads.yaml", reason: "it is empty" });
    expect(faulty("threads.yaml", damaged)).toMatchObject({
      finding: {
        status: "error",
        message: expect.stringContaining("it is empty"),
        fix: expect.stringMatching(/^\/root\/threads\.yaml: /),
      },
      exitCode: 7,
    });
  });

  it("of many alike are cut short, and the rest is counted", () => {
    const many = [
      fine("locks", "ok"),
      ...Array.from({ length: 30 }, (_, n) => warning("locks", `${n}`, "fix")),
    ];
    const cut = bounded(many);
    expect(cut).toHaveLength(22);
    expect(cut[0]?.finding.status).toBe("ok");
    expect(cut.at(-1)?.finding).toEqual({
      check: "locks",
      status: "warning",
      message: "10 more like these",
      fix: "fix",
    });
    expect(bounded(many.slice(0, 21))).toEqual(many.slice(0, 21));
  });
});
