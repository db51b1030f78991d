import { endProcess, packageVersion, printText, processHost, runPrompt } from "../kit.js";

export function main(): void {
  const host = processHost(process.argv.slice(2));
  if (host.argv[0] === "--version") {
    endProcess(printText(`uwf-agent-prompt ${packageVersion(import.meta.dirname)}\n`, 0));
  } else {
    void runPrompt(host).then(endProcess);
  }
}
