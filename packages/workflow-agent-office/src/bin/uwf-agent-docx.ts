import { tmpdir } from "node:os";
import { packageVersion } from "@uncaged/workflow-util";
import { start } from "../host.js";
import { docxTool } from "../tool/index.js";

export function main(): void {
  start(packageVersion(import.meta.dirname), (argv, host) => docxTool(argv, host, tmpdir()));
}
