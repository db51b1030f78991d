import { spawnSync } from "node:child_process";

// What the encoders of some languages' standard libraries make of a text, by their documented rules.

export type Encoder = (text: string) => string;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const utf8 = (text: string): readonly number[] => [...Buffer.from(text)];
const codeUnits = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
const escapeUnits = (text: string): string =>
  codeUnits(text)
    .map((unit) => `\\u${hex(unit, 4)}`)
    .join("");
const inner = (text: string): string => JSON.stringify(text).slice(1, -1);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const wrapped = (text: string, columns: number, end: string): string =>
  text.replace(new RegExp(`.{1,${columns}}`, "g"), `$&${end}`);

function percent(text: string, kept: RegExp): string {
  return utf8(text)
    .map((byte) => String.fromCharCode(byte))
    .map((each) => (kept.test(each) ? each : `%${hex(each.charCodeAt(0), 2).toUpperCase()}`))
    .join("");
}

const ascii = (text: string): string => text.replace(/[^\0-\x7e]/g, escapeUnits);

export const ENCODERS: Readonly<Record<string, Encoder>> = {
  "JavaScript JSON.stringify": inner,
  "JavaScript JSON.stringify three times": (text) => inner(inner(inner(text))),
  "JavaScript encodeURIComponent": encodeURIComponent,
  "JavaScript encodeURI": encodeURI,
  "JavaScript encodeURIComponent twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "JavaScript URLSearchParams": (text) => new URLSearchParams({ k: text }).toString(),
  "JavaScript URLSearchParams of JSON": (text) =>
    new URLSearchParams({ k: JSON.stringify({ text }) }).toString(),
  "JavaScript Buffer base64url": (text) => Buffer.from(text).toString("base64url"),
  "JavaScript Buffer base64": base64,
  "JavaScript Buffer hex": (text) => Buffer.from(text).toString("hex"),
  "JavaScript Buffer in JSON": (text) => JSON.stringify(Buffer.from(`a${text}`)),
  "JavaScript Buffer in JSON, indented": (text) => JSON.stringify({ b: Buffer.from(text) }, null, 4),
  "JavaScript String.raw of \\u{…}": (text) =>
    [...text].map((each) => `\\u{${hex(each.codePointAt(0) ?? 0, 1)}}`).join(""),
  "Python json.dumps": (text) => ascii(inner(text)),
  "Python json.dumps twice": (text) => ascii(inner(ascii(inner(text)))),
  "Python quote": (text) => percent(text, /[\w.~/-]/),
  "Python quote_plus": (text) => percent(text, /[\w.~ -]/).replaceAll(" ", "+"),
  "Python base64.encodebytes": (text) => wrapped(base64(`head of some length:${text}`), 76, "\n"),
  "Python base64.encodebytes in JSON": (text) => inner(wrapped(base64(text), 76, "\n")),
  "Python base64.urlsafe_b64encode": (text) => base64(text).replaceAll("+", "-").replaceAll("/", "_"),
  "Python binascii.hexlify": (text) =>
    utf8(text)
      .map((byte) => hex(byte, 2))
      .join(""),
  "Python bytes.hex(':')": (text) =>
    utf8(text)
      .map((byte) => hex(byte, 2))
      .join(":"),
  "Python html.escape": (text) =>
    text.replace(
      /[&<>"']/g,
      (each) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[each] ?? "&#x27;",
    ),
  "Python repr of bytes": (text) =>
    utf8(text)
      .map((byte) =>
        byte === 92 || byte === 39
          ? `\\${String.fromCharCode(byte)}`
          : byte < 127 && byte > 31
            ? String.fromCharCode(byte)
            : `\\x${hex(byte, 2)}`,
      )
      .join(""),
  "Python list of bytes": (text) => `[${utf8(text).join(", ")}]`,
  "Go encoding/json": (text) => inner(text).replace(/[<>&\u2028\u2029]/g, escapeUnits),
  "Go url.QueryEscape": (text) => percent(text, /[\w.~ -]/).replaceAll(" ", "+"),
  "Go url.PathEscape": (text) => percent(text, /[\w.~$&+:=@-]/),
  "Go hex.EncodeToString": (text) => Buffer.from(text).toString("hex"),
  'Go fmt.Printf("% X")': (text) =>
    utf8(text)
      .map((byte) => hex(byte, 2).toUpperCase())
      .join(" "),
  "Go fmt.Println([]byte)": (text) => `[${utf8(text).join(" ")}]`,
  "Go base64.RawURLEncoding": (text) => Buffer.from(`u:${text}`).toString("base64url"),
  "PHP json_encode": (text) =>
    inner(text)
      .replaceAll("/", "\\/")
      .replace(/[^\0-\x7f]/g, escapeUnits),
  "PHP json_encode twice": (text) => {
    const once = (given: string): string =>
      inner(given)
        .replaceAll("/", "\\/")
        .replace(/[^\0-\x7f]/g, escapeUnits);
    return once(once(text));
  },
  "PHP json_encode JSON_HEX_*": (text) =>
    inner(text).replace(
      /\\"|[<>&']/g,
      (each) => `\\u${hex(each.charCodeAt(each.length - 1), 4).toUpperCase()}`,
    ),
  "PHP chunk_split(base64_encode)": (text) => wrapped(base64(`{"key":"${text}"}`), 76, "\r\n"),
  "PHP rawurlencode": (text) => percent(text, /[\w.~-]/),
  "Java every character as \\uXXXX": escapeUnits,
  "Java every character as \\uXXXX, in capitals": (text) =>
    codeUnits(text)
      .map((unit) => `\\u${hex(unit, 4).toUpperCase()}`)
      .join(""),
  "Java URLEncoder": (text) => percent(text, /[\w.* -]/).replaceAll(" ", "+"),
  "Java MIME encoder": (text) => wrapped(base64(`xy${text}`), 76, "\r\n"),
  "Ruby CGI.escape": (text) => percent(text, /[\w.*~ -]/).replaceAll(" ", "+"),
  "Ruby Base64.encode64": (text) => wrapped(base64(`a ${text}`), 60, "\n"),
  "Ruby Base64.encode64, indented": (text) => wrapped(base64(text), 60, "\n    "),
  "Perl MIME::Base64 in JSON": (text) => inner(wrapped(base64(text), 76, "\n")),
  "small hexadecimal digits in a URL": (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  "every byte as %XX": (text) => percent(text, /(?!)/),
  "every byte as \\xXX": (text) =>
    utf8(text)
      .map((byte) => `\\x${hex(byte, 2)}`)
      .join(""),
  "every byte as 0xXX": (text) =>
    utf8(text)
      .map((byte) => `0x${hex(byte, 2)}`)
      .join(", "),
  "every character as a decimal entity": (text) =>
    [...text].map((each) => `&#${each.codePointAt(0)};`).join(""),
  "Basic authorization": (text) => `Authorization: Basic ${base64(`user:${text}`)}`,
  "Basic authorization of an OAuth client": (text) => `Basic ${base64(`id:${encodeURIComponent(text)}`)}`,
  "Base64 with \\/ and \\u002b": (text) => base64(text).replaceAll("/", "\\/").replaceAll("+", "\\u002b"),
  "Base64 in a URL": (text) => encodeURIComponent(base64(text)),
};

/** The real ones, where the machine has the language; they read the text from stdin and write what they make of it. */
export const PROGRAMS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  "Python json.dumps": ["python3", "-c", python("json.dumps(t)[1:-1]")],
  "Python quote": ["python3", "-c", python("urllib.parse.quote(t)")],
  "Python quote_plus": ["python3", "-c", python("urllib.parse.quote_plus(t)")],
  "Python base64.encodebytes": [
    "python3",
    "-c",
    python("base64.encodebytes(('head of some length:'+t).encode()).decode()"),
  ],
  "Python base64.urlsafe_b64encode": [
    "python3",
    "-c",
    python("base64.urlsafe_b64encode(t.encode()).decode()"),
  ],
  "Python binascii.hexlify": ["python3", "-c", python("binascii.hexlify(t.encode()).decode()")],
  "Python bytes.hex(':')": ["python3", "-c", python("t.encode().hex(':')")],
  "Python html.escape": ["python3", "-c", python("html.escape(t)")],
  "Python list of bytes": ["python3", "-c", python("str(list(t.encode()))")],
  "Ruby Base64.encode64": ["ruby", "-rbase64", "-e", "print Base64.encode64('a ' + STDIN.read)"],
  "Ruby CGI.escape": ["ruby", "-rcgi", "-e", "print CGI.escape(STDIN.read)"],
  "PHP json_encode": ["php", "-r", "echo substr(json_encode(stream_get_contents(STDIN)), 1, -1);"],
  "PHP rawurlencode": ["php", "-r", "echo rawurlencode(stream_get_contents(STDIN));"],
};

function python(expression: string): string {
  return `import sys,json,base64,binascii,html,urllib.parse as p,urllib.parse\nt=sys.stdin.buffer.read().decode()\nsys.stdout.buffer.write((${expression}).encode())`;
}

export function isThere(command: string): boolean {
  return spawnSync(command, ["--version"]).status === 0;
}

export function run([command, ...args]: readonly [string, ...string[]], text: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}
