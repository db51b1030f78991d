import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/index.js";

const KEY = 'sk-or-v1-0a"1b\\2c/3d+4e=5f ä6';
const { text, tail, value, longest } = createRedactor([{ name: "OPEN_KEY", value: KEY }]);
const MARK = "[redacted:OPEN_KEY]";

const quoted = (given: string): string => JSON.stringify(given).slice(1, -1);
const base64 = (given: string): string => Buffer.from(given).toString("base64");

describe("a secret in a text", () => {
  it.each([
    ["as it is", KEY],
    ["quoted in JSON", quoted(KEY)],
    ["quoted twice", quoted(quoted(KEY))],
    ["quoted three times", quoted(quoted(quoted(KEY)))],
    ["in a URL", encodeURIComponent(KEY)],
    ["in a URL with small hex digits", encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ["in a form", encodeURIComponent(KEY).replaceAll("%20", "+")],
  ])("is found %s, each time", (_how, spelling) => {
    expect(text(`a ${spelling} b${spelling}${spelling}`)).toBe(`a ${MARK} b${MARK}${MARK}`);
  });

  it.each(["", "u", "us", "user:", ":"])("is found in Base64 behind %j", (before) => {
    const encoded = base64(`${before}${KEY}, and more`);
    const clean = text(`Authorization: Basic ${encoded}`);
    expect(clean).toContain(MARK);
    const left = clean
      .replace(/.*Basic /, "")
      .replace(MARK, " ")
      .split(" ");
    for (const part of left) expect(Buffer.from(part, "base64").toString("latin1")).not.toContain("sk-or");
    expect(left.join("").length).toBeLessThan(encoded.length - KEY.length);
  });

  it("is found in Base64 for URLs", () => {
    const key = "\u00ff\u00fe\u00fb\u00ff-key-\u00ff\u00ff";
    const redactor = createRedactor([{ name: "K", value: key }]);
    expect(redactor.text(Buffer.from(key).toString("base64url"))).toContain("[redacted:K]");
  });

  it("is found where terminal codes stand in it, for they go when the text is shown", () => {
    const coloured = `x ${KEY.slice(0, 5)}\u001b[1m${KEY.slice(5, 9)}\b${KEY.slice(9)}\u001b[0m y`;
    expect(text(coloured)).toBe(`x ${MARK} y`);
    const harmless = "\u001b[1mbold\u001b[0m";
    expect(text(harmless)).toBe(harmless);
  });

  it("of several lines is found completely, and line by line", () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nshort\n-----END PRIVATE KEY-----\n";
    const redactor = createRedactor([{ name: "PEM", value: pem }]);
    expect(redactor.text(`<${pem}>`)).toBe("<[redacted:PEM]>");
    expect(redactor.text("  MIIEvQIBADANBgkqhkiG9w0\r\n  short")).toBe("  [redacted:PEM]\r\n  short");
    expect(redactor.text("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
  });

  it("that begins with another one is found completely", () => {
    const both = createRedactor([
      { name: "SHORT", value: "12345678" },
      { name: "LONG", value: "12345678-long" },
    ]);
    expect(both.text("12345678 12345678-long")).toBe("[redacted:SHORT] [redacted:LONG]");
  });

  it("is not looked for in the mark of another one", () => {
    const both = createRedactor([
      { name: "KEYNAME1", value: "abcdefgh" },
      { name: "B", value: "KEYNAME1" },
    ]);
    expect(both.text("abcdefgh")).toBe("[redacted:KEYNAME1]");
  });

  it("with characters of regular expressions is taken literally", () => {
    const odd = createRedactor([{ name: "ODD", value: "^a.*[b](c)|d?$" }]);
    expect(odd.text("^a.*[b](c)|d?$ axxb")).toBe("[redacted:ODD] axxb");
  });

  it("with $& in its name leaves no trace of the value", () => {
    const odd = createRedactor([{ name: "$&", value: "abcdefgh" }]);
    expect(odd.text("abcdefgh")).toBe("[redacted:$&]");
  });
});

describe("the end of a longer text", () => {
  it("does not begin with the end of a secret", () => {
    for (let cut = 0; cut < KEY.length - 3; cut += 1) {
      const clean = tail(`${KEY.slice(cut)} rest`);
      expect(clean).toBe(cut === 0 ? `${MARK} rest` : " rest");
    }
  });

  it("keeps what only looks like it for three characters", () => {
    expect(tail(`${KEY.slice(-3)}!`)).toBe(`${KEY.slice(-3)}!`);
  });
});

describe("a text that was cut by us", () => {
  it("does not end with the beginning of a secret, wherever it was cut", () => {
    for (let cut = 9; cut < KEY.length; cut += 1)
      expect(text(`got "${KEY.slice(0, cut)}…", and "x…"`)).toBe(`got "${MARK}…", and "x…"`);
  });

  it("keeps what every key of its kind begins with", () => {
    expect(text("sk-or-v1…")).toBe("sk-or-v1…");
  });
});

describe("a value", () => {
  it("is cleaned at any depth, names of members too", () => {
    const given = { a: [KEY, 1, null, true], [`x ${KEY}`]: { b: `y ${KEY}` } };
    expect(value(given)).toEqual({ a: [MARK, 1, null, true], [`x ${MARK}`]: { b: `y ${MARK}` } });
  });

  it("keeps a member named __proto__ and its order", () => {
    const given: unknown = JSON.parse('{"b": 1, "__proto__": "x", "a": 2}');
    expect(JSON.stringify(value(given))).toBe('{"b":1,"__proto__":"x","a":2}');
  });
});

describe("a secret that a stranger names", () => {
  const redactor = createRedactor(
    [{ name: "OWN", value: "of-the-user" }],
    [
      { name: "API_KEY", value: "rejected" },
      { name: "SAME", value: "of-the-user" },
    ],
  );

  it("is taken out like others", () => {
    expect(redactor.text("rejected, of-the-user")).toBe("[redacted:API_KEY], [redacted:OWN]");
  });

  it.each([
    ["a field", { verdict: "rejected" }, "/verdict"],
    ["a field below others", { all: [{}, { "a/b": "was rejected" }] }, "/all/1/a~1b"],
    ["the name of a member", { rejected: true }, "/rejected"],
    ["another spelling", { verdict: "re\\u006aected" }, "/verdict"],
  ])("is found in %s", (_where, value, at) => {
    expect(redactor.strange(value, 64)).toEqual({ at, name: "API_KEY" });
  });

  it.each([
    ["a longer text", { text: `${"-".repeat(57)}rejected` }],
    ["a value that is the user's own secret too", { text: "of-the-user" }],
    ["what has no secret in it", { verdict: "accepted", of: [1, null] }],
  ])("is not found in %s", (_where, value) => {
    expect(redactor.strange(value, 64)).toBeNull();
  });
});

describe("a record of our own", () => {
  const redactor = createRedactor(
    [],
    [
      { name: "API_KEY", value: "inputTokens" },
      { name: "PASSWORD", value: "AGENT_FAILED" },
    ],
  );

  it("keeps its names, and a fault its code", () => {
    expect(redactor.record({ inputTokens: 1, said: "inputTokens" })).toEqual({
      inputTokens: 1,
      said: "[redacted:API_KEY]",
    });
    expect(redactor.fault({ code: "AGENT_FAILED", stderr: "AGENT_FAILED" })).toEqual({
      code: "AGENT_FAILED",
      stderr: "[redacted:PASSWORD]",
    });
  });
});

describe("without secrets", () => {
  it.each([[[]], [[{ name: "A", value: "" }]], [[{ name: "A", value: " \n" }]]])(
    "nothing is touched: %j",
    (secrets) => {
      const none = createRedactor(secrets);
      const given = { a: "\u001b[1m" };
      expect(none.value(given)).toBe(given);
      expect([none.text("x"), none.tail("x"), none.longest()]).toEqual(["x", "x", 0]);
      const stream = none.stream();
      expect(stream.push("x") + stream.flush()).toBe("x");
    },
  );
});

describe("the longest spelling", () => {
  it("is at least as long as the secret", () => {
    expect(longest()).toBeGreaterThanOrEqual(KEY.length);
  });
});
