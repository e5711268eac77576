/**
 * A small agent of the Agent Client Protocol without a model. It performs acts: those of the file it is started with,
 * or those that its prompt holds as JSON. Usage: small-agent [ACTS.json [exits-1]]
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export type Act =
  | { readonly say: string }
  /** A tool is called and has a result. */
  | { readonly tool: string }
  | { readonly plan: string }
  | { readonly update: object }
  | { readonly write: string }
  | { readonly sleepMs: number }
  /** Waits until a file of that name is there. */
  | { readonly await: string }
  | { readonly append: string }
  /** Asks to be allowed; what came of it is appended. */
  | { readonly ask: string }
  | { readonly request: string }
  | { readonly child: "group" | "session" }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals }
  | { readonly deaf: true }
  | { readonly hang: true }
  | { readonly stop: string }
  | { readonly fail: object };

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly mcpServers?: readonly object[];
    readonly prompt?: readonly { readonly text: string }[];
  };
  readonly result?: { readonly outcome?: { readonly outcome: string; readonly optionId?: string } };
  readonly error?: { readonly code: number };
}

const SESSION = "session-1";
const KNOWN = "conversations.log";
const waiting = new Map<string | number, (message: Message) => void>();
let asked = 0;
let cancelled = false;

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionUpdate: string, rest: object): void =>
  send({ method: "session/update", params: { sessionId: SESSION, update: { sessionUpdate, ...rest } } });
const note = (line: string): void => appendFileSync("work.log", `${line}\n`);

const request = (method: string, params: object): Promise<Message> =>
  new Promise((resolve) => {
    const id = (asked += 1);
    waiting.set(id, resolve);
    send({ id, method, params: { sessionId: SESSION, ...params } });
  });

async function ask(title: string): Promise<void> {
  const { result } = await request("session/request_permission", {
    toolCall: { toolCallId: "asked", title, rawInput: { command: title } },
    options: [
      { optionId: "always", kind: "allow_always", name: "Always" },
      { optionId: "once", kind: "allow_once", name: "Once" },
      { optionId: "no", kind: "reject_once", name: "No" },
    ],
  });
  note(`${title}: ${result?.outcome?.optionId ?? result?.outcome?.outcome ?? "nothing"}`);
}

/** Answers a stop reason, or an error, where the act is the last of the turn. */
async function perform(act: Act): Promise<object | undefined> {
  if ("stop" in act) return { result: { stopReason: act.stop } };
  if ("fail" in act) return { error: act.fail };
  if ("say" in act) update("agent_message_chunk", { content: { type: "text", text: act.say } });
  else if ("plan" in act) update("plan", { entries: [{ content: act.plan, status: "in_progress" }] });
  else if ("update" in act)
    send({ method: "session/update", params: { sessionId: SESSION, update: act.update } });
  else if ("tool" in act) {
    update("tool_call", { toolCallId: "t1", title: act.tool, status: "pending", rawInput: {} });
    update("tool_call_update", { toolCallId: "t1", status: "in_progress", rawInput: { of: act.tool } });
    update("tool_call_update", { toolCallId: "t1", status: "completed", rawOutput: "done" });
  } else if ("write" in act) process.stdout.write(act.write);
  else if ("sleepMs" in act) await sleep(act.sleepMs);
  else if ("await" in act) while (!existsSync(act.await) && !cancelled) await sleep(20);
  else if ("append" in act) note(act.append);
  else if ("ask" in act) await ask(act.ask);
  else if ("request" in act) note(`${act.request}: ${String((await request(act.request, {})).error?.code)}`);
  // What a full pipe has no room for yet would be lost by leaving at once.
  else if ("exit" in act) await new Promise(() => process.stdout.write("", () => process.exit(act.exit)));
  else misbehave(act);
  return undefined;
}

function misbehave(act: Act): void {
  if ("child" in act)
    spawn("sleep", ["1000"], { stdio: "ignore", detached: act.child === "session" }).unref();
  else if ("kill" in act) process.kill(process.pid, act.kill);
  else if ("deaf" in act) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  else setInterval(() => undefined, 1_000);
}

const actsOf = (text: string): readonly Act[] => {
  const file = process.argv[2];
  return JSON.parse(
    file === undefined
      ? text.slice(text.indexOf("["), text.lastIndexOf("]") + 1)
      : readFileSync(file, "utf8"),
  ) as Act[];
};

async function turn(id: string | number, text: string): Promise<void> {
  cancelled = false;
  let end: object | undefined;
  for (const act of actsOf(text)) {
    if ("hang" in act) return misbehave(act);
    end ??= await perform(act);
    if (cancelled) end = { result: { stopReason: "cancelled" } };
    if (end !== undefined) break;
  }
  send({
    id,
    ...(end ?? { result: { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 2 } } }),
  });
}

function load(id: string | number, session: string): void {
  if (!existsSync(KNOWN) || !readFileSync(KNOWN, "utf8").includes(session))
    return send({ id, error: { code: -32_603, message: "Internal error: no such session" } });
  update("user_message_chunk", { content: { type: "text", text: "the old task" } });
  update("agent_message_chunk", { content: { type: "text", text: "the old answer" } });
  send({ id, result: {} });
  update("agent_message_chunk", { content: { type: "text", text: "told late" } });
  note(`loaded ${session}`);
}

function receive(message: Message): void {
  const { id = 0, method, params } = message;
  if (method === undefined) return waiting.get(id)?.(message);
  if (method === "initialize")
    send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
  else if (method === "session/new") {
    appendFileSync(KNOWN, `${SESSION}\n`);
    if ((params?.mcpServers ?? []).length > 0) note(JSON.stringify(params?.mcpServers));
    send({ id, result: { sessionId: SESSION } });
  } else if (method === "session/load") load(id, params?.sessionId ?? "");
  else if (method === "session/cancel") cancelled = true;
  else if (method === "session/prompt") void turn(id, params?.prompt?.[0]?.text ?? "");
}

createInterface({ input: process.stdin })
  .on("line", (line) => receive(JSON.parse(line) as Message))
  .on("close", () => process.exit(process.argv[3] === "exits-1" ? 1 : 0));
