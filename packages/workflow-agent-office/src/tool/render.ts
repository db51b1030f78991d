import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { err, ok, type Result } from "@uncaged/json-cas";
import { errnoOf } from "@uncaged/json-cas-fs";
import type { Fault } from "@uncaged/workflow-agent-kit";
import {
  type ChildOutcome,
  definedOnly,
  resolveCommand,
  runChild,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import type { OpenFile } from "../document.js";
import type { Host } from "../host.js";
import type { Request } from "./line.js";

type Rendered = {
  /** Paths of the pictures. */
  readonly pages: readonly string[];
  /** Pages of the document. */
  readonly total: number;
};

type RenderContext = { readonly host: Host; readonly temporary: string };

/**
 * The pages of a document as pictures: LibreOffice makes a PDF of it, with a profile that is thrown away and, where the
 * system allows that, without a network (a checked document loads nothing from elsewhere either way); pdftoppm draws its
 * pages.
 */
export async function render(
  request: Request,
  { bytes }: OpenFile,
  { host, temporary }: RenderContext,
): Promise<Result<Rendered, Fault>> {
  const programs = findPrograms(host);
  if (!programs.ok) return programs;
  const scratch = mkdtempSync(join(temporary, "uwf-docx-"));
  try {
    const source = join(scratch, "document.docx");
    writeFileSync(source, bytes);
    const work = { ...programs.value, request, host, scratch };
    const pdf = await makePdf(work, source);
    return pdf.ok ? await drawPages(work, pdf.value) : pdf;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Programs = {
  readonly office: string;
  readonly draw: string;
  readonly info: string;
  /** Words that start another program without a network; none where the system does not allow it. */
  readonly apart: readonly string[];
};

type Work = Programs & { readonly request: Request; readonly host: Host; readonly scratch: string };

function findPrograms({ env, cwd }: Host): Result<Programs, Fault> {
  const place = { path: env.PATH ?? "", cwd };
  const find = (...names: readonly string[]): string | null => {
    const found = names.map((name) => resolveCommand(name, place)).find((one) => one.ok);
    return found?.ok === true ? found.value : null;
  };
  const office = find("soffice", "libreoffice");
  const draw = find("pdftoppm");
  const info = find("pdfinfo");
  if (office === null) return missing("LibreOffice (soffice)");
  if (draw === null || info === null) return missing("pdftoppm");
  const unshare = find("unshare");
  const apart = unshare === null ? [] : [unshare, "--user", "--map-root-user", "--net", "--"];
  return ok({ office, draw, info, apart });
}

function missing(program: string): Result<never, Fault> {
  return err({
    code: "INVALID_INPUT",
    what: "render",
    reason: `${program} is not on PATH`,
    hint: "install both: apt-get install libreoffice-writer-nogui poppler-utils",
  });
}

const GRACE_MS = 2000;
const KEPT = 16 * 1024;

function start({ host, scratch, request }: Work, words: readonly string[]): Promise<ChildOutcome> {
  const [command = "", ...args] = words;
  const output = { kind: "memory", limitBytes: KEPT } as const;
  return runChild({
    command,
    args,
    cwd: scratch,
    env: { ...definedOnly(host.env), HOME: scratch, TMPDIR: scratch },
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    limits: { timeoutMs: request.timeoutMs, graceMs: GRACE_MS },
    abort: host.signal,
  });
}

async function makePdf(work: Work, source: string): Promise<Result<string, Fault>> {
  const { office, scratch } = work;
  const profile = pathToFileURL(join(scratch, "profile")).href;
  const flags = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo"];
  const words = [office, `-env:UserInstallation=${profile}`, ...flags];
  const convert = ["--convert-to", "pdf", "--outdir", scratch, source];
  const apart = await isApart(work);
  const ended = await start(work, [...(apart ? work.apart : []), ...words, ...convert]);
  // LibreOffice ends with 0 whatever happened: only the file counts.
  const pdf = join(scratch, "document.pdf");
  return ended.kind === "exited" && isPdf(pdf) ? ok(pdf) : failed(work, "LibreOffice", ended);
}

/** Containers and some distributions allow no namespaces of a user's own. */
async function isApart(work: Work): Promise<boolean> {
  if (work.apart.length === 0) return false;
  const ended = await start(work, [...work.apart, "true"]);
  return ended.kind === "exited" && ended.code === 0;
}

function isPdf(path: string): boolean {
  try {
    const fd = openSync(path, "r");
    try {
      const head = Buffer.alloc(5);
      return readSync(fd, head) === 5 && head.toString("latin1") === "%PDF-";
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function drawPages(work: Work, pdf: string): Promise<Result<Rendered, Fault>> {
  const { draw, info, request, host, scratch } = work;
  const converted = await start(work, [info, pdf]);
  const total = Number(/^Pages:\s+(\d+)$/m.exec(converted.stdout ?? "")?.[1] ?? 0);
  const [first, last] = [1, Math.min(request.pages, total)];
  const range = ["-r", String(request.dpi), "-f", String(first), "-l", String(last)];
  const drawn = join(scratch, "pages");
  mkdirSync(drawn);
  const ended = await start(work, [draw, "-png", ...range, pdf, join(drawn, "page")]);
  const names = readdirSync(drawn).sort();
  if (ended.kind !== "exited" || ended.code !== 0 || total === 0 || names.length !== last)
    return failed(work, "pdftoppm", ended);
  const folder = resolve(host.cwd, request.output);
  mkdirSync(folder, { recursive: true });
  const pages = names.map((name, index) => {
    const page = join(request.output, `page-${index + 1}.png`);
    copyFileSync(join(drawn, name), resolve(host.cwd, page));
    return page;
  });
  return ok({ pages, total });
}

function failed({ request }: Work, program: string, ended: ChildOutcome): Result<never, Fault> {
  const isLate = ended.kind === "timeout";
  const outcome = isLate ? `took longer than ${request.timeoutMs / 1000} s` : "made nothing of the document";
  const stderr = sanitizeTerminal(ended.stderr ?? "").trim();
  const message = `${program} ${outcome}${stderr === "" ? "" : `:\n${stderr}`}`;
  const hint = isLate ? "raise --timeout" : `try ${program} by hand on this document`;
  const why = isLate ? ({ reason: "timeout" } as const) : ({ reason: "bad-result" } as const);
  return err({ code: "AGENT_FAILED", command: program, role: "", outcome, stderr, ...why, message, hint });
}
