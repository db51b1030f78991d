import type { Hash, JsonObject } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { makeThread, type TestThread } from "../helpers/thread.js";

const PLAN: JsonObject = {
  type: "object",
  required: ["phases"],
  properties: {
    phases: {
      type: "array",
      minItems: 1,
      items: { type: "string", format: "cas_ref", examples: ["0123456789ABC"] },
    },
    review: { anyOf: [{ type: "string", format: "cas_ref" }, { type: "null" }] },
  },
};

const INVENTED = "0123456789ABC";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ planner: PLAN });
});

afterEach(() => made.remove());

async function play(definition: Omit<AgentDefinition, "name">) {
  const host = makeHost([made.thread, "planner"], made.root);
  const code = await runAgent({ name: "uwf-test", ...definition }, host);
  return { code, ...host.written };
}

function reply(...phases: readonly string[]): string {
  return `---\nphases: ${JSON.stringify(phases)}\n---\nThe plan.\n`;
}

describe("a field that refers to a node", () => {
  it("is a violation like any other if the node is missing", async () => {
    const { code, out, err } = await play({
      run: () => ({ kind: "text", text: reply(made.start, INVENTED) }),
    });
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain("error[EXTRACT_FAILED]");
    expect(err).toContain(
      `/phases/1: expected the hash of a stored node, got ${INVENTED}, which does not exist (cas_ref)`,
    );
    const program = await play({ run: () => ({ kind: "output", value: { phases: [INVENTED] } }) });
    expect(program.code).toBe(6);
    expect(program.err).toContain("/phases/0: expected the hash of a stored node");
  });

  it("is put right by the agent's own session, with a text that it stores", async () => {
    let asked = "";
    const { code, out } = await play({
      run: () => ({ kind: "text", text: reply(INVENTED), session: { sessionId: "s" } }),
      continue: async (_session, message, { putText }) => {
        asked = message;
        return { kind: "text", text: reply(await putText("Phase one.")), session: { sessionId: "s" } };
      },
    });
    expect(code).toBe(0);
    expect(asked).toContain(`/phases/0: expected the hash of a stored node, got ${INVENTED}`);
    const { cas } = made.storage;
    const step = cas.get(out.trim() as Hash)?.payload as { readonly output: Hash };
    const output = cas.get(step.output)?.payload as { readonly phases: readonly Hash[] };
    expect(cas.get(output.phases[0] as Hash)?.payload).toEqual({ text: "Phase one." });
  });

  it("is explained in the prompt, whose example is accepted unchanged", async () => {
    let prompt = "";
    const { code, err } = await play({
      run: (context) => {
        prompt = context.prompt;
        const [, example = ""] = /<example>\n([\s\S]*?)<\/example>/.exec(prompt) ?? [];
        return { kind: "text", text: example };
      },
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(prompt).toContain("uwf cas put-text --file <path>");
    expect(prompt).toContain("(string, the hash of a stored node)");
    expect(prompt).not.toContain(INVENTED);
  });
});
