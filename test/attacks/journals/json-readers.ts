import { writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { findScript } from "../../../src/agents/demo/find-script.ts";
import { parseJson } from "../../../src/agents/headless/json-fields.ts";
import { readMessage } from "../../../src/agents/acp/acp-message.ts";
import { signalOfLine } from "../../../src/agents/keeper/spool/spool-lines.ts";
import { readConfig } from "../../../src/cli/config/load-config.ts";
import { readFlow } from "../../../src/cli/config/load-flow.ts";
import { serveTools } from "../../../src/cli/mcp/mcp-stdio.ts";
import { exportCheck } from "../../../src/journal/export-check.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { decodeEvent } from "../../../src/model/events/event-codec.ts";
import { EVENTS } from "../../../src/model/events/events.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import { problemsBySchema } from "../../../src/model/values/json-schema.ts";
import { channelSpecSchema } from "../../../src/model/settings/notice.ts";
import { valueAtPointer } from "../../../src/model/values/pointed.ts";
import { readRequest } from "../../../src/model/requests/read-request.ts";
import { partOf, settable, whyFixed } from "../../../src/model/settings/settable.ts";
import { diffState, patchState, type StatePatch } from "../../../src/model/values/state-patch.ts";
import { answerIn } from "../../../src/model/text/answer-in.ts";
import { HEADLESS_AGENTS, signalsOf } from "../../agents/headless/headless-agents.ts";

const KEYS = [
  "__proto__",
  "__proto__.polluted",
  "constructor.prototype.polluted",
  "step.__proto__.limitMs",
  "budget.__proto__",
];

type Reader = (payload: string, folder: string) => unknown;

const written = (folder: string, name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};

async function* linesOf(payload: string): AsyncGenerator<string> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  yield `${payload}\n`;
  yield `${JSON.stringify(call).slice(0, -1)},"params":${payload}}\n`;
  yield `${JSON.stringify(call).slice(0, -1)},"params":{"name":"t","arguments":${payload}}}\n`;
}

/** Everything that reads JSON or YAML which others wrote. What they throw is their refusal. */
export const READERS: Readonly<Record<string, Reader>> = {
  "the configuration, as JSON": (payload, folder) => readConfig(written(folder, "c.json", payload)),
  "the configuration, as YAML": (payload, folder) => readConfig(written(folder, "c.yaml", payload)),
  "an agent of the configuration": (payload) =>
    configSchema.safeParse(
      JSON.parse(`{"agents":${payload},"prices":${payload},"notify":{"channels":${payload}}}`),
    ),
  "a flow": (payload, folder) =>
    readFlow(written(folder, "f.yaml", payload), { agent: undefined, agents: {} } as never),
  "a step of a flow": (payload) => flowSchema.safeParse({ name: "f", steps: [JSON.parse(payload)] }),
  "an agent's script": (payload, folder) => {
    written(folder, "s.json", payload);
    return findScript({ use: "demo", script: "s.json" }, folder);
  },
  "a request in the inbox": (payload) => readRequest({ id: "r", request: JSON.parse(payload) }),
  "an event of every kind": (payload) =>
    Object.keys(EVENTS).map((type) => attempt(() => decodeEvent(type, payload))),
  "a line of every headless agent": (payload) =>
    HEADLESS_AGENTS.map((agent) => signalsOf(agent, [{ text: payload, from: "out" }])),
  "a message of the Agent Client Protocol": (payload) => {
    const message = parseJson(payload);
    return message === undefined ? undefined : readMessage(message);
  },
  "a signal of a function's process": (payload) => signalOfLine({ text: payload, kind: "whole", end: 0 }),
  "a call of a tool": (payload) =>
    serveTools(
      [{ name: "t", description: "", inputSchema: {}, call: async (given) => JSON.stringify({ ...given }) }],
      "1",
      { input: Readable.from(linesOf(payload)), write: () => undefined },
    ),
  "an answer of a reviewer": (payload) => answerIn(payload),
  "a document with its schema": (payload) => [
    attempt(() => problemsBySchema({ type: "object", additionalProperties: false }, JSON.parse(payload))),
    attempt(() => problemsBySchema(JSON.parse(payload) as never, {})),
  ],
  "a pointer into a document": (payload) =>
    ["/__proto__/polluted", "/constructor/prototype", "/a/__proto__"].map((at) =>
      valueAtPointer(JSON.parse(payload), at),
    ),
  "a patch of a loop's state": (payload) => {
    const value: unknown = JSON.parse(payload);
    return [
      attempt(() => patchState({}, value as StatePatch)),
      patchState({}, diffState({}, value)),
      attempt(() => patchState(Object.freeze({ a: 1 }), value as StatePatch)),
    ];
  },
  "a setting that is changed": () =>
    KEYS.map((key) => [partOf(key), whyFixed(key), Object.hasOwn(settable(), key)]),
  "a channel of notices": (payload) => channelSpecSchema.safeParse(JSON.parse(payload)),
  "a line of an export": (payload) => {
    const check = exportCheck("export");
    return Object.values(check).map((read) =>
      typeof read === "function"
        ? attempt(() => (read as (line: unknown) => unknown).call(check, payload))
        : null,
    );
  },
};

export const attempt = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};
