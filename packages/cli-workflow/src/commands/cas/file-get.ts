import { argument, flag, usually } from "@uncaged/command-line";
import { resolveHash } from "@uncaged/json-cas";
import { attempt, readStoredFile } from "@uncaged/workflow-store";
import { defineRootCommand, HASH, OUTPUT } from "../../line/index.js";
import { text, writeToFile } from "../output.js";

/** Writes the bytes of a stored file, once they are checked, to a new file or to stdout (`-`). */
export const command = defineRootCommand({
  path: "cas file get",
  summary: "write the bytes of a stored file to stdout, or to a new file",
  arguments: { hash: argument(HASH) },
  options: {
    output: usually(OUTPUT, "-", "output file; - is stdout", { short: "-o" }),
    force: flag("replace an existing file"),
  },
  examples: ["uwf cas file get 64KB4T4A9CKTS -o fix.patch", "uwf cas file get 64KB4T4A9CKTS | git apply"],
  sample: {
    line: "cas file get 6PRC90G3SQT6F -o copy.html",
    prints: "wrote /home/kim/copy.html, 25 KiB",
  },
  run: async (context, request, storage) => {
    const { cas } = storage;
    const hash = attempt(() => resolveHash(cas, request.hash));
    if (!hash.ok) return hash;
    const file = readStoredFile(cas, hash.value);
    if (!file.ok) return file;
    const { bytes } = file.value;
    const { host } = context;
    if (request.output !== "-") return writeToFile(host, request, bytes);
    host.writeBytes(bytes);
    return text("");
  },
});
