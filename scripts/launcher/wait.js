/**
 * Stands at the end of every launcher, without such comments. uwf starts an agent's launcher before it knows whether it
 * needs it: the runtime comes up and the program is loaded while uwf works, and here it waits for two lines
 * (workflow-util, process/waiting.ts). The end of stdin before one of them means that uwf has died: then nothing has run.
 *
 * The first is the word, `{ record, outputs, args, env }` as JSON. With it the process takes the files that it shall
 * write to for the null devices that it was started with, and creates its pid file as the trampoline would have done it
 * (whoever takes the run away creates it first), with the same exit codes. Each file has several names, since meanwhile
 * uwf makes the run durable and then gives its folder the name that counts. The second line is empty: the run is on disk.
 * In a file of its own all this would cost a step 0.5 ms.
 *
 * @param {typeof import("node:fs")} fs
 */
export function waitForWord(fs) {
  delete process.env.UWF_LAUNCH_WAIT;
  const stat = "/proc/self/stat";
  const own = fs.existsSync(stat) ? fs.readFileSync(stat, "utf8") : `${process.pid}\n`;
  const part = Buffer.alloc(65536);
  let heard = part.subarray(0, 0);
  const line = () => {
    while (!heard.includes(10)) {
      const count = fs.readSync(0, part, 0, part.length, null);
      if (count === 0) process.exit(1);
      heard = Buffer.concat([heard, part.subarray(0, count)]);
    }
    const text = heard.toString("utf8", 0, heard.indexOf(10));
    heard = heard.subarray(heard.indexOf(10) + 1);
    return text;
  };
  /** @type {(names: readonly string[], flags: string) => number} */
  const open = ([name = "", ...others], flags) => {
    try {
      return fs.openSync(name, flags, 0o600);
    } catch (error) {
      if (others.length === 0) throw error;
      return open(others, flags);
    }
  };
  // The lowest descriptor that is free is the next one to be given. bun 1.3 keeps these three whatever it is told: without
  // a record uwf starts the agent in turn.
  /** @type {(fd: number, names: readonly string[], flags: string) => void} */
  const replace = (fd, names, flags) => {
    fs.closeSync(fd);
    if (open(names, flags) !== fd) process.exit(1);
  };
  const word = line();
  if (word === "") process.exit(1);
  const { record, outputs, args, env } = JSON.parse(word);
  let code = 125;
  try {
    replace(1, outputs[0], "a");
    replace(2, outputs[1], "a");
    const fd = open(record, "wx");
    code = 124;
    fs.writeFileSync(fd, own);
    fs.closeSync(fd);
  } catch {
    process.exit(code);
  }
  line();
  replace(0, ["/dev/null"], "r");
  // bun's own spawn does not pass these on unless it is given process.env; ours always is.
  Object.assign(process.env, env);
  process.argv.push(...args);
}
