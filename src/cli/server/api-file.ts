import { rmSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { Reader } from "../../open-reader.ts";
import { apiFileSchema, type ApiFile } from "../../model/api-file.ts";
import { storeMark, type MarkedStore } from "../shell/store-mark.ts";

const BYTES_MAX = 64 * 1024;

/** A store and the state folder that it is worked with. */
interface StatePlace extends MarkedStore {
  readonly stateFolder: string;
}

/**
 * One for each store. What stands under the plain name is the last that was started, of any store: scripts that know
 * of one store alone look there.
 */
const ownFile = (call: StatePlace): string =>
  path.join(call.stateFolder, "api", `server${storeMark(call)}.json`);
const plainFile = (call: StatePlace): string => path.join(call.stateFolder, "api.json");

export function writeApiFile(call: StatePlace, found: ApiFile): void {
  const text = `${JSON.stringify(found, null, 2)}\n`;
  for (const file of [ownFile(call), plainFile(call)]) replaceFile(file, text);
}

export function removeApiFile(call: StatePlace, { process: { pid, startedAt } }: ApiFile): void {
  for (const file of [ownFile(call), plainFile(call)]) {
    const found = read(file);
    if (found?.process.pid === pid && found.process.startedAt === startedAt) rmSync(file, { force: true });
  }
}

type World = Reader["ports"]["world"];

/** Where the dashboard of this store is reached, for as long as a server of it lives on this machine. */
export const dashboardOf =
  (call: StatePlace) =>
  (world: World): string | null =>
    livingApi(call, { ports: { world } })?.url ?? null;

/** The server of this store on this machine, if its process lives. */
export function livingApi(
  call: StatePlace,
  { ports: { world } }: { readonly ports: { readonly world: World } },
): ApiFile | null {
  const found = read(ownFile(call));
  if (found === null) return null;
  return world.liveness({ ...world.self, ...found.process }) === "alive" ? found : null;
}

function read(file: string): ApiFile | null {
  const text = plainTextIfAny(file, { bytesMax: BYTES_MAX });
  if (text === undefined) return null;
  try {
    return apiFileSchema.parse(JSON.parse(text));
  } catch {
    // A file that says nothing is as good as none; the next server writes it again.
    return null;
  }
}

/** For documents: where the API is served; nothing where it is not. */
export function apiOf(
  call: StatePlace,
  system: { readonly ports: { readonly world: World } },
): { readonly api?: Pick<ApiFile, "url" | "socket" | "tokenFile"> } {
  const found = livingApi(call, system);
  if (found === null) return {};
  const { url, socket, tokenFile } = found;
  return { api: { url, socket, tokenFile } };
}
