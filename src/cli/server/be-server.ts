import { userInfo } from "node:os";
import path from "node:path";
import { plainText } from "../../files/plain-file.ts";
import type { Operations, System } from "../../main.ts";
import { Fault, invariant } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { storeMark } from "../shell/store-mark.ts";
import { packageVersion } from "../shell/package-folder.ts";
import { EXIT } from "../shell/define-command.ts";
import { WatchSource } from "../print/watch/watch-source.ts";
import { troubledResources } from "../../views/status/status-shared-resources.ts";
import { packageFolder } from "../shell/package-folder.ts";
import { findRun } from "../run/find-run.ts";
import { onInterrupt } from "../run/interrupts.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { ApiFile } from "../../model/api-file.ts";
import { agentBehind } from "./agent-behind.ts";
import { fileDiffs } from "./file-diffs.ts";
import { withKnownStates } from "./known-states.ts";
import { callerOf } from "./serving.ts";
import { removeApiFile, writeApiFile } from "./api-file.ts";

export interface ServeOptions {
  readonly listen?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: string;
  /** Ends when its standard input does: with the supervisor that has started it. */
  readonly beside?: boolean;
  /** Ends by itself: some time after there was neither a supervisor nor anybody who asked. */
  readonly inBackground?: boolean;
}

const PEM_BYTES_MAX = 1024 * 1024;
const LOOK_EVERY_MS = 1_000;
const ALONE_MS = 10 * 60_000;

/** Serves the store until it is asked to end; it supervises nothing. */
export function beServer(call: Invocation, options: ServeOptions): Promise<number> {
  return call.withSystem("create", async (opened) => {
    const system = withKnownStates(opened);
    const { api: face, sessionBehind: look } = await import("../../main.ts");
    process.setMaxListeners(0);
    const say = (text: string): void => call.output.line(`${isoTime(Date.now())}  ${text}`);
    const api = await face.start({
      ...face.readListen(options.listen),
      ...securityOf(options),
      stateFolder: call.stateFolder,
      webFolder: path.join(packageFolder(), "dist", "web"),
      owner: ownerName(call),
      operations: operationsOn(call, system),
      agentBehind: agentBehind(call.store.url, look),
      mark: storeMark(call),
      version: packageVersion(),
      now: () => system.ports.world.now(),
      crashPoint: (name) => system.ports.world.crashPoint(name),
      note: (text) => call.output.note(text),
    });
    const { url, socket, tokenFile } = api;
    const file: ApiFile = {
      url,
      socket,
      tokenFile,
      store: call.store.shown,
      process: { ...system.ports.world.self },
    };
    writeApiFile(call, file);
    call.output.record({ url, socket, tokenFile });
    say(`the API of ${call.store.shown} is at ${url} and ${socket}`);
    say(`log in with a browser: ${call.command("dashboard")}`);
    const end = await endOf(options, system, () => api.idleMs());
    say(`${end}: ending`);
    removeApiFile(call, file);
    await api.close();
    return end === "SIGINT" ? EXIT.interrupted : EXIT.done;
  });
}

function operationsOn({ makePerformer, surroundings, store }: Invocation, system: System): Operations {
  const { journal, world } = system.ports;
  const watched = new WatchSource(system, store.named);
  invariant(makePerformer !== null, "a command that serves can perform commands");
  return {
    store: store.named,
    perform: makePerformer({ system, surroundings, store: store.named === null ? undefined : store.url }),
    journal,
    loadRun: (run) => system.loadRun(run),
    findRun: (text) => findRun(journal, text),
    watchEntries: (now) => watched.entries(now),
    loadSharedResources: () => system.loadSharedResources(),
    troubled: async (now) => troubledResources(await system.loadSharedResources(), now, store.named),
    screenOf: (session) => system.screenOf(session),
    fileDiffs: (order) => fileDiffs(system, order),
    openTerminal: (of, receive) => system.openTerminal(of, receive),
    async record(run, request, { asker, waitMs }) {
      const { by, principal } = callerOf(asker);
      const outcome = await system.requests.ask(run, request, { by, principal, waitMs });
      return outcome.kind === "queued"
        ? { kind: "queued", text: "it is in the inbox" }
        : { kind: outcome.answer.kind, text: outcome.answer.text };
    },
    async exportLines(run) {
      const { exportedRuns } = await import("../../main.ts");
      const head = await journal.head(run);
      if (head === null) throw new Fault("not_found", `there is no run "${run}" in this store any more`);
      return exportedRuns.lines(journal, { run, head, exportedAt: isoTime(world.now()) });
    },
  };
}

/** The name under which the owner's requests are recorded: the same as from the command line. */
export function ownerName({ surroundings: { env } }: Invocation): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name in the system's list is known by number alone.
    return env["USER"] ?? "owner";
  }
}

export function securityOf({ tlsCert, tlsKey, behindProxy }: ServeOptions) {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Fault("usage", "TLS needs both files; expected --tls-cert FILE --tls-key FILE");
  const pem = (file: string): string => {
    const text = plainText(file, { bytesMax: PEM_BYTES_MAX, links: "follow" });
    if (text === undefined)
      throw new Fault("usage", `there is no file ${file}; expected a certificate and its key as PEM`);
    return text;
  };
  const tls = tlsCert === undefined || tlsKey === undefined ? null : { cert: pem(tlsCert), key: pem(tlsKey) };
  return { tls, behindProxy: behindProxy === undefined ? null : publicUrl(behindProxy) };
}

function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && url.protocol === "https:") return url.origin;
  throw new Fault(
    "usage",
    `--behind-proxy "${text}" is no address; expected the one that browsers use, such as https://holdfast.example.com`,
  );
}

/** Why it ends. */
function endOf(
  { beside, inBackground }: ServeOptions,
  system: System,
  idleMs: () => number,
): Promise<string> {
  return new Promise((resolve) => {
    const quiet = onInterrupt((signal) => {
      system.ports.journal.leave?.();
      end(signal);
    });
    const look = inBackground === true ? setInterval(() => void lookAround(), LOOK_EVERY_MS) : undefined;
    const end = (why: string): void => {
      clearInterval(look);
      quiet();
      resolve(why);
    };
    let hadSupervisor = false;
    const lookAround = async (): Promise<void> => {
      const holder = await system.host.holder().catch(() => null);
      if (holder !== null) hadSupervisor = true;
      else if (hadSupervisor && beside === true) end("the supervisor has ended");
      else if (idleMs() > ALONE_MS) end("nobody has asked for anything");
    };
    // Its end is that of the process that holds the other end of the pipe, however that one ended.
    if (beside === true && inBackground !== true)
      process.stdin.resume().once("close", () => end("the supervisor has ended"));
  });
}
