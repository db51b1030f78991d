import type { Group } from "@uncaged/command-line";
import { ADDED_GROUPS } from "./added.made.js";

/** The commands and groups that `uwf --help` lists first. */
export const FIRST: readonly string[] = [
  "run",
  "workflow",
  "thread",
  "init",
  "setup",
  "ui",
  "report",
  "log",
  "doctor",
];

/** The groups of commands, by path. A command is in the group that its own path says. */
export const GROUPS: Readonly<Record<string, Group>> = {
  workflow: {
    summary: "register and inspect workflows",
    examples: [],
    notes: "",
    first: ["put", "validate", "test", "show", "graph", "list"],
  },
  thread: {
    summary: "start, step and read threads",
    examples: [],
    notes: "",
    first: ["start", "step", "run", "next", "answer", "show", "list", "read", "steps"],
  },
  ...ADDED_GROUPS,
  cas: {
    summary: "the content-addressed store of this storage root",
    examples: [],
    notes: "",
    first: ["get", "put", "put-text", "has", "refs", "walk", "list"],
  },
  "cas schema": {
    summary: "store and inspect JSON Schemas, the types of nodes",
    examples: [
      "uwf cas schema list",
      `uwf cas schema put '{"type": "object", "properties": {"name": {"type": "string"}}}'`,
    ],
    notes: "",
    first: ["put", "get", "list"],
  },
  "cas file": {
    summary: "store files, and get them back",
    examples: ["uwf cas file put fix.patch", "uwf cas file get 64KB4T4A9CKTS -o fix.patch"],
    notes: "",
    first: ["put", "get"],
  },
};
