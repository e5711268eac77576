import { openSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { BACKGROUND_OPTION, spawnDetached } from "../supervise/detached-supervisor.ts";
import { storeMark } from "../shell/store-mark.ts";
import { ownCommand, type Invocation } from "../shell/invocation.ts";
import { makeFolder } from "../shell/make-folder.ts";
import type { ApiFile } from "../../model/api-file.ts";
import { livingApi } from "./api-file.ts";
import { ownerName, securityOf, type ServeOptions } from "./be-server.ts";
import { wordsOf } from "./server-child.ts";

const START_WAIT_MS = 45_000;
const LOOK_EVERY_MS = 25;

/** The server of this store, started in the background where none lives. */
export async function ensureServer(
  call: Invocation,
  system: System,
  options: ServeOptions,
): Promise<ApiFile> {
  const living = livingApi(call, system);
  if (living !== null) return living;
  await checkAddress(call, options);
  const log = path.join(call.stateFolder, `api${storeMark(call)}.log`);
  const child = startServer(call, log, options);
  for (const until = Date.now() + START_WAIT_MS; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    // Read before the file: one that has ended because another one lives has that one's file beside it.
    const { exitCode } = child;
    const found = livingApi(call, system);
    if (found !== null) return found;
    if (exitCode !== null) break;
  }
  throw new Fault(
    "supervisor_failed",
    `the API could not be served in the background; its log ${log} says why`,
    { retry: "later", details: { log } },
  );
}

/** What the server in the background would refuse is refused here, where somebody reads it. */
async function checkAddress(call: Invocation, options: ServeOptions): Promise<void> {
  const { api: face } = await import("../../main.ts");
  const { length } = face.tokenStore(call.stateFolder, ownerName(call), Date.now).list();
  face.checkListening({ ...face.readListen(options.listen), ...securityOf(options) }, length);
}

function startServer(call: Invocation, log: string, options: ServeOptions) {
  const command = ownCommand();
  if (command === undefined)
    throw new Fault("broken_promise", "the command line does not know its own program");
  makeFolder(call.stateFolder);
  const beside = options.beside === true ? ["--beside"] : [];
  const words = ["serve", BACKGROUND_OPTION, ...beside, ...wordsOf(options)];
  const output = openSync(log, "a", 0o600);
  return spawnDetached(call, [...command, ...words], { cwd: call.surroundings.cwd, output });
}
