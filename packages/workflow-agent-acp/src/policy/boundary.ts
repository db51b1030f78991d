import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

const MOST_LINKS = 40;

/**
 * What is run by itself later: git's hooks and settings, and those of agents. Who writes there has left the folder as
 * soon as the next program starts.
 */
const GUARDED: ReadonlySet<string> = new Set([
  ".git",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".goose",
  ".hermes",
  ".opencode",
  ".mcp.json",
  "opencode.json",
  "opencode.jsonc",
]);

export type Where = "inside" | "guarded" | "itself" | "outside";

/**
 * Where a path, taken from `from`, lies as seen from `folder`. The system follows `link/..` by the link, many a program
 * by the name: both ways have to stay inside.
 */
export function whereIs(folder: string, from: string, path: string): Where {
  const found = [asTold(from, path), resolve(from, path)].map((one) => whereBelow(folder, one));
  return (["outside", "guarded", "itself"] as const).find((one) => found.includes(one)) ?? "inside";
}

export function isInside(folder: string, from: string, path: string): boolean {
  return whereIs(folder, from, path) !== "outside";
}

export function hasParent(path: string): boolean {
  return path.split("/").includes("..");
}

/** As the system reads it: nothing is cancelled out. */
export function asTold(from: string, path: string): string {
  return isAbsolute(path) ? path : `${from}/${path}`;
}

function whereBelow(folder: string, path: string): Where {
  const [base, end] = [real(folder), real(path)];
  if (base === null || end === null) return "outside";
  const way = relative(base, end);
  if (way === "") return "itself";
  if (way === ".." || way.startsWith("../") || isAbsolute(way)) return "outside";
  return way.split("/").some((name) => GUARDED.has(name.toLowerCase())) ? "guarded" : "inside";
}

/**
 * The path without links, also where a link's end does not exist yet. `null` where that cannot be told; what lies in
 * /proc is another thing for each process that looks.
 */
export function real(path: string): string | null {
  const rest = path.split("/");
  let at = "/";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "" || name === ".") continue;
    at = name === ".." ? dirname(at) : join(at, name);
    if (at === "/proc") return null;
    const target = name === ".." ? null : linkAt(at);
    if (target === undefined) return null;
    if (target === null) continue;
    links += 1;
    if (links > MOST_LINKS) return null;
    at = target.startsWith("/") ? "/" : dirname(at);
    rest.unshift(...target.split("/"));
  }
  return at;
}

/** `null` for what is no link or nothing, `undefined` for what cannot be looked at. */
function linkAt(path: string): string | null | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return ["EINVAL", "ENOENT", "ENOTDIR"].includes(code) ? null : undefined;
  }
}
