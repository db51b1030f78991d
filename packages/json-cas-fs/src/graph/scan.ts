import { scanFolder } from "../store/index.js";
import { type HashTable, hashList } from "../table/index.js";

/** The nodes of a folder at this moment. */
export function scanTable(dir: string): HashTable {
  const list = hashList();
  for (const entry of scanFolder(dir)) if (entry.kind === "node") list.add(entry.hash);
  return list.table();
}
