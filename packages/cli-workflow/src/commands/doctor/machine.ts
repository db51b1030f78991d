import { askProgram } from "@uncaged/workflow-engine";
import { ENV, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  listThreads,
  newestLogTime,
  readChainNode,
  readHistory,
  type Storage,
} from "@uncaged/workflow-store";
import { definedOnly, type Redactor, resolveCommand, sanitizeTerminal } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import { type Found, fine, warning } from "./findings.js";

/** Before uwf was written. */
const TOO_EARLY = Date.UTC(2025, 0, 1);

/** Two processes write in the same moment, and a clock is set by some ms. */
const TOLERANCE_MS = 5_000;

/** The newest threads have the newest heads, mostly. */
const MAX_HEADS = 50;

const FIX = "set the machine's clock by NTP (`timedatectl status`)";

/** Whether the clock is later than the newest record. */
export async function checkClock(host: Host, storage: Storage | null): Promise<readonly Found[]> {
  const now = host.now();
  if (now < TOO_EARLY) return [warning("clock", `the clock says ${text(now)}, which is impossible`, FIX)];
  const newest = storage === null ? null : await newestTime(storage);
  if (newest === null || newest.time <= now + TOLERANCE_MS)
    return [fine("clock", `the clock says ${text(now)}`)];
  const message = `the clock says ${text(now)}, but ${newest.what} is from ${text(newest.time)}`;
  return [warning("clock", message, FIX)];
}

type Newest = { readonly what: string; readonly time: number };

async function newestTime(storage: Storage): Promise<Newest> {
  const logged = newestLogTime(storage);
  const history = readHistory(storage);
  const ended = history.ok ? [...history.value.ended.values()].map(({ completedAt }) => completedAt) : [];
  const times: readonly Newest[] = [
    { what: "the newest line of the log", time: logged.ok ? (logged.value ?? 0) : 0 },
    { what: "the newest line of history.jsonl", time: ended.reduce((a, b) => Math.max(a, b), 0) },
    { what: "the newest head of a thread", time: await newestHead(storage) },
  ];
  return times.reduce((best, each) => (each.time > best.time ? each : best));
}

async function newestHead(storage: Storage): Promise<number> {
  const threads = await listThreads(storage, { all: false });
  let newest = 0;
  // One node at a time is in memory: a prompt may have megabytes.
  for (const { head } of threads.ok ? threads.value.slice(-MAX_HEADS) : []) {
    const node = readChainNode(storage.cas, head);
    if (node.ok) newest = Math.max(newest, node.value.timestamp);
  }
  return newest;
}

/** A damaged store can name any number. */
function text(time: number): string {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : String(time);
}

/** What a file system promises, by its kind. */
type FileSystemKind = {
  readonly kind: "local" | "network" | "memory" | "unknown";
  /** "" if unknown. */
  readonly name: string;
};

// Magic numbers of statfs(2) and linux/magic.h.
const KINDS: Readonly<Record<number, readonly [FileSystemKind["kind"], string]>> = {
  61267: ["local", "ext"],
  1481003842: ["local", "XFS"],
  2435016766: ["local", "Btrfs"],
  801189825: ["local", "ZFS"],
  4076150800: ["local", "F2FS"],
  1382369651: ["local", "ReiserFS"],
  827541066: ["local", "JFS"],
  3393526350: ["local", "bcachefs"],
  2035054128: ["local", "overlayfs"],
  19780: ["local", "FAT"],
  538032816: ["local", "exFAT"],
  1397118030: ["local", "NTFS"],
  16914836: ["memory", "tmpfs"],
  2240043254: ["memory", "ramfs"],
  26985: ["network", "NFS"],
  4283649346: ["network", "CIFS"],
  4266872130: ["network", "SMB"],
  20859: ["network", "SMB"],
  16914839: ["network", "9P"],
  1702057286: ["network", "FUSE"],
  12805120: ["network", "Ceph"],
  198183888: ["network", "Lustre"],
  18225520: ["network", "GFS2"],
  1952539503: ["network", "OCFS2"],
  1397113167: ["network", "AFS"],
  1937076805: ["network", "Coda"],
  1196443219: ["network", "GPFS"],
};

/** The file system type for a magic number of statfs(2). Systems other than Linux have different numbers. */
export function fileSystemKind(magic: number): FileSystemKind {
  // Some runtimes return it signed.
  const [kind, name] = KINDS[magic >>> 0] ?? ["unknown", ""];
  return { kind, name };
}

const TIMEOUT_MS = 3_000;

const OUTPUT_BYTES = 4096;

const SHOWN_CHARACTERS = 100;

/** Where a program was found, and the first line of its `--version` output; `null` if it prints none. */
type Program = { readonly file: string; readonly version: string | null };

/**
 * Finds a program as a step would, and asks for its version: nothing on stdin, three seconds, then its complete
 * group is ended. `names` are the variables it gets; `null` is all. The output may contain a key.
 */
export async function findProgram(
  host: Host,
  command: string,
  names: readonly string[] | null,
  redactor: Redactor,
): Promise<Result<Program, Fault>> {
  const file = resolveCommand(command, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!file.ok) return file;
  const outcome = await askProgram(host, {
    file: file.value,
    args: ["--version"],
    env: passed(host, names),
    timeoutMs: TIMEOUT_MS,
    limitBytes: OUTPUT_BYTES,
  });
  const output = outcome.kind === "exited" && outcome.code === 0 ? (outcome.stdout ?? "") : "";
  return ok({ file: file.value, version: firstLine(output, redactor) });
}

function passed(host: Host, names: readonly string[] | null): Readonly<Record<string, string>> {
  const variables = definedOnly(host.env);
  if (names === null) return variables;
  const allowed = new Set([...names, "PATH", "HOME"]);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => allowed.has(name)));
}

/** Keys go after terminal codes, which could hide one, and before anything is cut. */
function firstLine(text: string, redactor: Redactor): string | null {
  const lines = redactor.tail(sanitizeTerminal(text)).split("\n");
  const line = lines.map((each) => each.trim()).find((each) => each !== "");
  return line === undefined ? null : line.slice(0, SHOWN_CHARACTERS);
}

/** Major and minor version from which on we are tested. */
const OLDEST = { node: [20, 19], bun: [1, 3] } as const;

/** What runs uwf, why, and what else could. */
export async function checkRuntime(host: Host, redactor: Redactor): Promise<readonly Found[]> {
  const { name, version } = host.runtime;
  const chosen = host.env[ENV.runtime]
    ? `${ENV.runtime} says so`
    : name === "bun"
      ? "bun is on PATH"
      : "bun is not on PATH, or node was started by hand";
  const other = name === "bun" ? "node" : "bun";
  const program = await findProgram(host, other, null, redactor);
  const rest = program.ok ? `${other} ${program.value.version ?? "of unknown version"}` : `no ${other}`;
  const message = `uwf runs on ${name} ${version} (${chosen}); there is ${rest} on PATH`;
  const [major, minor] = OLDEST[name];
  if (isOld(version, major, minor))
    return [warning("runtime", message, `install ${name} ${major}.${minor} or newer`)];
  return [fine("runtime", message)];
}

function isOld(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first < major || (first === major && second < minor);
}
