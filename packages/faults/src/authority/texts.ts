import { keyedThreadId } from "@uncaged/workflow-util";
import { KEY, NEW_KEY, OWNER, SECRET, type Stage } from "./stage.js";

/** What a stranger writes in the place of a text. */
export type Texts = Readonly<Record<"option" | "path" | "key", readonly string[]>>;

/** Each planted text that names nothing of the owner has this in it: no word of a start may. */
export const MARK = "planted";

export function textsAgainst({ world, threads, child, heads }: Stage): Texts {
  const { folder, cwd, root } = world;
  return {
    option: [
      `--mcp-config={"mcpServers":{"${MARK}":{"command":"touch","args":["${cwd}/${MARK}"]}}}`,
      `--settings=${MARK}`,
      `--resume=${MARK}`,
      `--agent=touch ${cwd}/${MARK}`,
      `--output=${cwd}/${MARK}`,
      `-${MARK}`,
      `--${MARK}`,
      `-c${MARK}="x"`,
      "--dangerously-skip-permissions",
      "--yes",
      "--help",
      "--",
      "-p",
    ],
    path: [
      ...[".", "..", "../canary", "~", "/", ".env", "/dev/stdin", "config.yaml"],
      ...[cwd, root, `${cwd}/canary`, `${cwd}/${MARK}`, `${root}/.env`, `${folder}/../${MARK}`],
      `file://${cwd}/canary`,
      `../../${MARK}/gate.yaml`,
      `./${MARK}.yaml`,
      `$(touch ${cwd}/${MARK})`,
      `'; touch ${cwd}/${MARK} #`,
      `x\n${MARK}: \u001b]0;${MARK}\u0007`,
    ],
    key: [
      ...Object.values(threads),
      ...Object.values(heads),
      ...[child, KEY, NEW_KEY, OWNER.session, "FAULTS_API_KEY", SECRET.slice(0, 8)],
      ...["gate", "ship", "turns", "approver", "lead", "maker", "checker", "$END", "$START", "$FAIL"],
      ...["recorder", "claude", "uwf-claude", "human", "owner", "agent", "workflow", "__proto__"],
      `${heads.ship}/lead`,
    ],
  };
}

/** Ids under which a thread of the owner could be looked for. */
export function idsAgainst({ threads, child, heads }: Stage): readonly string[] {
  const [early, late] = [1, Date.UTC(2100, 0)];
  const keyed = [
    randomOf(null, KEY),
    randomOf(null, NEW_KEY),
    ...(["ship", "fresh"] as const).map((name) => randomOf(threads[name], `${heads[name]}/lead`)),
  ];
  const own = [...Object.values(threads), child];
  return [
    ...keyed.flatMap((random) => [keyedThreadId(late, random), keyedThreadId(early, random)]),
    ...own,
    ...own.map((id) => `7ZZZZZZZZZ${id.slice(10)}`),
    ...own.map((id) => `0000000000${MADE_UP}${id.slice(-4)}`),
    ...own.map((id) => `${id.slice(0, 12)}${MADE_UP.slice(0, 10)}${id.slice(0, 4)}`),
  ];
}

const MADE_UP = "STRANGERZZZZ";

/** As uwf makes the end of an id from a key: anybody can. */
function randomOf(parent: string | null, key: string): Uint8Array {
  return process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify([parent, key]))
    .digest()
    .subarray(0, 10);
}
