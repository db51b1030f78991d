import { closeSync, openSync } from "node:fs";
import {
  endProcess,
  packageVersion,
  printText,
  processHost,
  readWithin,
  runWrite,
  type Sources,
} from "../kit.js";

const sources: Sources = {
  stdin: (limit) => readWithin(0, limit),
  file: (path, limit) => {
    const fd = openSync(path, "r");
    try {
      return readWithin(fd, limit);
    } finally {
      closeSync(fd);
    }
  },
};

export function main(): void {
  const host = processHost(process.argv.slice(2));
  if (host.argv[0] === "--version") {
    endProcess(printText(`uwf-agent-write ${packageVersion(import.meta.dirname)}\n`, 0));
  } else {
    void runWrite(host, sources).then(endProcess);
  }
}
