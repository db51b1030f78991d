import { homedir, tmpdir } from "node:os";
import { writeOut } from "@uncaged/json-cas-fs";
import { packageVersion } from "@uncaged/workflow-util";
import { docxTool } from "../tool/index.js";

export function main(): void {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => controller.abort(signal));
  }
  // A program that just stops has not done its work.
  process.exitCode = 1;
  const host = {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME || homedir(),
    version: packageVersion(import.meta.dirname),
    out: (text: string) => void writeOut(1, Buffer.from(text)),
    err: (text: string) => void writeOut(2, Buffer.from(text)),
    signal: controller.signal,
  };
  void docxTool(process.argv.slice(2), host, tmpdir()).then((code) => {
    process.exitCode = code;
  });
}
