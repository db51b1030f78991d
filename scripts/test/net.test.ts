import { expect, it } from "vitest";
import { compareNets, comparisonText } from "../net/compare.js";
import type { Net } from "../net/record.js";

const HELP = "Usage: uwf thread\n\nOptions:\n  --all  everything\n  --help\n";

function net(changes: Net["lines"]): Net {
  const line = { kind: "help", code: 0, out: HELP, err: "", changed: [] };
  const lines = {
    "uwf thread --help": line,
    "uwf thread -h": line,
    "uwf zzz": { ...line, kind: "wrong words" },
  };
  return { commit: "abc", lines: { ...lines, ...changes } };
}

const same = net({});
const line = { kind: "help", code: 0, out: HELP.replace("everything", "all of it"), err: "", changed: [] };

it("finds no difference between equal records", () => {
  expect(compareNets(same, net({})).groups).toEqual([]);
});

it("names the lines that differ in the same way together, and counts them by kind", () => {
  const other = net({ "uwf thread --help": line, "uwf thread -h": line });
  const { table, groups } = compareNets(same, other);
  expect(table).toEqual([
    { kind: "help", lines: 2, differ: 2 },
    { kind: "wrong words", lines: 1, differ: 0 },
  ]);
  expect(groups).toEqual([
    {
      diff: "stdout\n-   --all  everything\n+   --all  all of it",
      lines: ["uwf thread --help", "uwf thread -h"],
    },
  ]);
  expect(comparisonText({ table, groups }, false)).toContain(
    "2 ×\n  $ uwf thread --help\n  $ uwf thread -h\nstdout",
  );
});

it("finds another exit code, another file that was written, and a line that only one record has", () => {
  const wrong = { ...line, kind: "wrong words", out: HELP, code: 2, changed: ["+ root/config.yaml"] };
  const { groups } = compareNets(same, net({ "uwf zzz": wrong, "uwf new": wrong }));
  expect(groups).toEqual([
    { diff: "exit code 0 → 2\nfiles\n+ + root/config.yaml", lines: ["uwf zzz"] },
    { diff: "only in the second record", lines: ["uwf new"] },
  ]);
});
