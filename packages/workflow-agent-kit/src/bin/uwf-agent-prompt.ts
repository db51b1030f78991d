import { endProcess, packageVersion, processHost, runPrompt } from "../kit.js";

export function main(): void {
  const host = processHost(process.argv.slice(2));
  if (host.argv[0] === "--version") {
    host.out(`uwf-agent-prompt ${packageVersion(import.meta.dirname)}\n`);
  } else {
    void runPrompt(host).then(endProcess);
  }
}
