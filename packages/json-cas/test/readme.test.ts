import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as api from "../src/index.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the example of the README runs and prints what it says", async () => {
  const code = /```js\n(.*?)```/s.exec(readme)?.[1] ?? "";
  const said = [...code.matchAll(/\/\/ (.+)$/gm)].map(([, text]) => text);
  const printed: string[] = [];
  const log = (...values: unknown[]): void =>
    void printed.push(values.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(" "));
  const body = code.replace(/^import \{([^}]*)\} from .*$/m, "const {$1} = api;");
  const AsyncFunction = (async () => {}).constructor as new (
    ...text: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction("api", "console", body)(api, { log });
  expect(printed).toEqual(said);
});
