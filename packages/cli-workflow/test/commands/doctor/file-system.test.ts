import { expect, it } from "vitest";
import { fileSystemKind } from "../../../src/commands/doctor/machine.js";

it("distinguishes local, network and memory file systems by their magic numbers, signed or not", () => {
  expect(fileSystemKind(0xef53)).toEqual({ kind: "local", name: "ext" });
  expect(fileSystemKind(0x6969)).toEqual({ kind: "network", name: "NFS" });
  expect(fileSystemKind(0x9123683e | 0)).toEqual({ kind: "local", name: "Btrfs" });
  expect(fileSystemKind(0x01021994)).toEqual({ kind: "memory", name: "tmpfs" });
  expect(fileSystemKind(12345)).toEqual({ kind: "unknown", name: "" });
});
