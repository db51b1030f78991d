import { basename, dirname, join, relative } from "node:path";
import type { Call } from "./plan.js";

// A kill never reveals a missing fsync: written data is in the page cache and survives. Only the order of the calls shows
// what a power cut could leave.

/** A call that came too early. */
export type Disorder = { readonly call: Call; readonly reason: string };

/** Names that need not be durable: useless after a power cut, or created again by the next command. */
const FLEETING = [
  /^locks(\/|$)/,
  /^cache(\/|$)/,
  /^logs(\/|$)/,
  /^cas\/_pack\.lock/,
  /\.(tmp|aside)$/,
  /(^|\/)\.(new|gone)-/,
  /^runs\/[^/]+\/[^/]+\/(stderr|heartbeat|pid|report\.json)$/,
];

type Pending = {
  /** Files with bytes that are not synced yet. */
  readonly bytes: Set<string>;
  /** New names whose folder is not synced yet. */
  readonly names: Set<string>;
};

export type Order = {
  readonly disorders: readonly Disorder[];
  /** Points at which everything had to be durable: something was printed, started, replaced or removed. */
  readonly moments: number;
};

/**
 * Looks through the calls of one command: bytes are synced before their file gets its name, and everything that was
 * written is durable before a hash or a document is printed, an agent is started, another durable name appears or goes,
 * and the process ends well. The name of a node tells nothing: it is its hash, which nobody knows yet.
 */
export function checkOrder(root: string, calls: readonly Call[]): Order {
  const pending: Pending = { bytes: new Set(), names: new Set() };
  const disorders: Disorder[] = [];
  let moments = 0;
  const done = calls.filter(({ outcome }) => outcome === "done");
  for (const call of done.map((each) => withPath(root, each))) {
    for (const reason of early(root, pending, call)) disorders.push({ call, reason });
    moments += isMoment(root, call) ? 1 : 0;
    follow(root, pending, call);
  }
  return { disorders, moments };
}

/** What this call should have waited for. */
function early(root: string, pending: Pending, call: Call): readonly string[] {
  const own = isNaming(call) ? unsynced(pending, call.path) : [];
  if (!isMoment(root, call)) return own.filter(() => isDurable(root, call.to ?? ""));
  const names = [...pending.names].map((name) => `the name ${relative(root, name)} is not durable`);
  const bytes = [...pending.bytes]
    .filter((path) => isDurable(root, path))
    .map((path) => `the bytes of ${relative(root, path)} are not durable`);
  return [...own, ...bytes, ...names];
}

/** What an agent prints is its result, and lies in a file. */
const RESULT = "the agent's stdout";

function withPath(root: string, call: Call): Call {
  const isResult = call.role === "agent" && call.path === "stdout";
  return isResult ? { ...call, path: join(root, RESULT) } : call;
}

function isNaming({ name }: Call): boolean {
  return name === "link" || name === "rename";
}

/** The bytes and names of what is about to get its name. */
function unsynced({ bytes, names }: Pending, path: string): readonly string[] {
  const below = (each: string): boolean => each === path || each.startsWith(`${path}/`);
  return [
    ...[...bytes].filter(below).map((each) => `the bytes of ${basename(each)} are not synced`),
    ...[...names]
      .filter((each) => each !== path && below(each))
      .map((each) => `the folder of ${each} is not synced`),
  ];
}

function isMoment(root: string, call: Call): boolean {
  switch (call.name) {
    case "write":
      return call.path === "stdout" || call.path === join(root, RESULT);
    case "exit":
      return call.path === "0";
    case "spawn":
      return true;
    case "link":
    case "rename":
      return isDurable(root, call.to ?? "") && !isNode(root, call.to ?? "");
    case "rm":
    case "unlink":
      return isDurable(root, call.path);
    default:
      return false;
  }
}

function isNode(root: string, path: string): boolean {
  return /^cas\/[0-9A-Z]{13}\.bin$/.test(relative(root, path));
}

/** Takes the call's effect over. */
function follow(root: string, { bytes, names }: Pending, call: Call): void {
  const { name, path } = call;
  if (name === "write" || name === "ftruncate" || name === "writeFile" || name === "appendFile")
    bytes.add(path);
  if (name === "fsync" || name === "fdatasync") {
    bytes.delete(path);
    for (const each of names) if (dirname(each) === path) names.delete(each);
  }
  if (name === "unlink" || name === "rmdir" || name === "rm" || name === "rename")
    forget({ bytes, names }, path);
  const born = isNaming(call) ? (call.to ?? "") : path;
  if (call.created && (isDurable(root, born) || isBelowNew(root, born))) names.add(born);
}

function forget({ bytes, names }: Pending, path: string): void {
  bytes.delete(path);
  names.delete(path);
}

function isDurable(root: string, path: string): boolean {
  const name = relative(root, path);
  return !name.startsWith("..") && !FLEETING.some((pattern) => pattern.test(name));
}

/** A file of a run that is being made, and is to be there when its folder gets its name. */
function isBelowNew(root: string, path: string): boolean {
  return (
    /^runs\/[^/]+\/\.new-[^/]+\/(?!stderr$|pid$)[^/]+$/.test(relative(root, path)) && !path.endsWith(".tmp")
  );
}
