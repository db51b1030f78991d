import { argument, BadValue, type Kind, option, text } from "@uncaged/command-line";
import { attemptAsync, newFile, putFile, readWorkingFile } from "@uncaged/workflow-store";
import { defineRootCommand, PATH } from "../../line/index.js";
import { document } from "../output.js";

const MEDIA_TYPE: Kind<string> = {
  ...text("type"),
  read: (given) => {
    if (/^[\w.+-]+\/[\w.+-]+$/.test(given)) return given;
    throw new BadValue("It must be type/subtype, such as text/markdown.");
  },
};

/** Stores a file as a `file` node, for a role's `cas_ref` field. */
export const command = defineRootCommand({
  path: "cas file put",
  summary: "store a file of the current folder, print {hash}",
  arguments: { path: argument(PATH) },
  options: { mediaType: option(MEDIA_TYPE, "by the name's extension if not given") },
  examples: ["uwf cas file put fix.patch", "uwf cas file put report.bin --media-type application/pdf"],
  notes: "A file has 32 MiB at most. Links are not followed.",
  sample: { line: "cas file put report.html", prints: "6PRC90G3SQT6F" },
  run: async (context, { path, mediaType }, storage) => {
    const { cas, root } = storage;
    const bytes = readWorkingFile({ folder: context.host.cwd, storageRoot: root }, path);
    if (!bytes.ok) return bytes;
    const hash = await attemptAsync(() => putFile(cas, newFile(path, bytes.value, mediaType)));
    return hash.ok ? document({ hash: hash.value }, () => `${hash.value}\n`) : hash;
  },
});
