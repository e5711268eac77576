import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export interface AcpTalk {
  readonly protocolVersion: number;
  readonly stopReason: string;
  /** The kinds of updates, in the order in which they came. */
  readonly updates: readonly string[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate: string };
    readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
  };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/** The smallest client: one session, one prompt, every permission given. */
export async function speakAcp(child: ChildProcess, cwd: string, prompt: string): Promise<AcpTalk> {
  const { stdin, stdout } = child;
  assert.ok(stdin !== null && stdout !== null);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const updates: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  const send = (message: object): void =>
    void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const receive = (message: Message): void => {
    if (message.params?.update !== undefined) updates.push(message.params.update.sessionUpdate);
    else if (message.method === "session/request_permission") {
      const optionId = message.params?.options?.find(({ kind }) => kind === "allow_once")?.optionId;
      send({ id: message.id, result: { outcome: { outcome: "selected", optionId } } });
    } else if (message.method === undefined && message.id !== undefined) waiting.get(message.id)?.(message);
  };
  createInterface({ input: stdout }).on("line", (line) => {
    if (line.startsWith("{")) receive(JSON.parse(line) as Message);
  });
  let calls = 0;
  const ask = (method: string, params: object): Promise<Readonly<Record<string, unknown>>> =>
    new Promise((resolve, reject) => {
      const id = (calls += 1);
      child.once("exit", (code) => reject(new Error(`${method}: exit ${String(code)}: ${stderr}`)));
      waiting.set(id, ({ result, error }) =>
        result === undefined
          ? reject(new Error(`${method}: ${JSON.stringify(error)}: ${stderr}`))
          : resolve(result),
      );
      send({ id, method, params });
    });
  const { protocolVersion } = await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await ask("session/new", { cwd, mcpServers: [] });
  const { stopReason } = await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
  return { protocolVersion: Number(protocolVersion), stopReason: String(stopReason), updates };
}
