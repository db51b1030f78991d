import { describe, expect, it } from "vitest";
import { agentEnvironment } from "../../src/step/environment.js";

const RUN = { root: "/root", head: "HEAD", token: "TOKEN" };
const OWN = { PATH: "/bin", HOME: "/home/me", SECRET: "s", UWF_DEBUG: "1", UNSET: undefined };

describe("an agent's environment", () => {
  it("is ours with the storage root, the head and the run", () => {
    expect(agentEnvironment(OWN, null, RUN)).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      SECRET: "s",
      UWF_DEBUG: "1",
      UNCAGED_WORKFLOW_STORAGE_ROOT: "/root",
      UWF_HEAD: "HEAD",
      UWF_RUN: "TOKEN",
    });
  });

  it("keeps PATH, HOME and our own variables however narrow the list is", () => {
    expect(Object.keys(agentEnvironment(OWN, [], RUN)).sort()).toEqual(
      ["HOME", "PATH", "UNCAGED_WORKFLOW_STORAGE_ROOT", "UWF_DEBUG", "UWF_HEAD", "UWF_RUN"].sort(),
    );
  });
});
