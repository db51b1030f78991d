import {
  defineCommand,
  document,
  lines,
  nextCommand,
  OPEN_REMOTE_FAULTS,
  type UwfCommand,
} from "@uncaged/cli-workflow/add-on";
import { withRemote } from "../work/index.js";

/** Makes the remote's tables, or brings them up to date. */
export const command: UwfCommand = defineCommand({
  path: "remote init",
  summary: "create the tables of a remote, or update them",
  examples: ["UWF_REMOTE_URL=postgres://uwf@db/uwf uwf remote init"],
  exits: OPEN_REMOTE_FAULTS,
  sample: {
    line: "remote init",
    prints: `the remote has version 4, and had no tables before
next: uwf thread submit <workflow> -p <task>`,
  },
  run: async ({ host }) => {
    const migrated = await withRemote(host, (remote) => remote.migrate(), { isNew: true });
    if (!migrated.ok) return migrated;
    const { from, to } = migrated.value;
    return document({ from, version: to }, (screen) => {
      const sentence =
        from === to ? `the remote has version ${to} already` : `the remote has version ${to}, ${was(from)}`;
      return lines(screen, [sentence]) + nextCommand(screen, "uwf thread submit <workflow> -p <task>");
    });
  },
});

function was(version: number): string {
  return version === 0 ? "and had no tables before" : `and had version ${version} before`;
}
