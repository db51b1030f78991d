import { readFileSync } from "node:fs";
import { packageVersion } from "@uncaged/workflow-util";
import { endProcess, processHost } from "../host/index.js";
import { runWrite } from "../write/index.js";

const sources = {
  stdin: async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  },
  file: (path: string) => readFileSync(path, "utf8"),
};

export function main(): void {
  const host = processHost(process.argv.slice(2));
  if (host.argv[0] === "--version") {
    host.out(`uwf-agent-write ${packageVersion(import.meta.dirname)}\n`);
  } else {
    void runWrite(host, sources).then(endProcess);
  }
}
