import { closeSync, openSync } from "node:fs";
import { endProcess, packageVersion, processHost, readWithin, runWrite, type Sources } from "../kit.js";

const sources: Sources = {
  stdin: (limit) => readWithin(0, limit)?.toString("utf8") ?? null,
  file: (path, limit) => {
    const fd = openSync(path, "r");
    try {
      return readWithin(fd, limit)?.toString("utf8") ?? null;
    } finally {
      closeSync(fd);
    }
  },
};

export function main(): void {
  const host = processHost(process.argv.slice(2));
  if (host.argv[0] === "--version") {
    host.out(`uwf-agent-write ${packageVersion(import.meta.dirname)}\n`);
  } else {
    void runWrite(host, sources).then(endProcess);
  }
}
