import type { Permission } from "./tables.js";

/** Does one of the entries let this file use this name? `*` in a path stands for one folder's name. */
export function permits(entries: readonly Permission[], path: string, use: string): boolean {
  return entries.some(({ where, uses }) => covers(where, path) && (uses.includes("*") || uses.includes(use)));
}

export function covers(where: string, path: string): boolean {
  const pattern = where.split("/");
  const parts = path.split("/");
  const isFolder = pattern.at(-1) === "";
  const wanted = isFolder ? pattern.slice(0, -1) : pattern;
  if (isFolder ? parts.length <= wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((part, index) => part === "*" || part === parts[index]);
}
