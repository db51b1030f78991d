import { readdirSync } from "node:fs";

/** Names of programs `uwf-*` on PATH, sorted; `uwf-agent-*` are tools for authors of agents and no agents. */
export function agentsOnPath(path: string): readonly string[] {
  const names = path.split(":").flatMap((folder) => (folder === "" ? [] : list(folder)));
  return [...new Set(names.filter((name) => /^uwf-(?!agent-)[a-z0-9-]+$/.test(name)))].sort();
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // PATH often names folders that do not exist.
  }
}
