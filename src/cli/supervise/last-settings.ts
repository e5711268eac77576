import path from "node:path";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { hostConfigSchema, type HostConfig } from "../../model/settings/host-config.ts";
import { errorText, isFault } from "../../model/fault.ts";
import { storeMark } from "../shell/store-mark.ts";
import type { Invocation } from "../shell/invocation.ts";
import { makeFolder } from "../shell/make-folder.ts";

/**
 * The settings with which a supervisor of this store last started well. A restart uses them, so that it does not depend
 * on the user's file, which may be broken by then.
 *
 * On disk: a draft, whole and synced, which then takes the name at one stroke. A crash leaves the settings before.
 */
const fileOf = (call: Invocation): string =>
  path.join(call.stateFolder, `supervisor${storeMark(call)}.settings.json`);

export function keepLastSettings(
  call: Invocation,
  host: HostConfig,
  crashPoint: (name: string) => void,
): void {
  const file = fileOf(call);
  const text = JSON.stringify(host);
  if (readIfThere(file) === text) return;
  makeFolder(path.dirname(file));
  replaceFile(file, text, () => {
    crashPoint("supervisor.settings.before");
  });
  crashPoint("supervisor.settings.after");
}

/** Null where no supervisor has started well yet, or another version wrote what cannot be read. */
export function readLastSettings(call: Invocation): HostConfig | null {
  try {
    return hostConfigSchema.parse(JSON.parse(readIfThere(fileOf(call)) ?? ""));
  } catch {
    return null;
  }
}

/**
 * The settings of a supervisor that nobody watches start: the user's, or the last good ones where those cannot be read;
 * a restart begins with the last good ones. What was wrong is reported.
 */
export async function settingsUnattended(call: Invocation, isRestart: boolean): Promise<HostConfig> {
  const last = readLastSettings(call);
  if (isRestart && last !== null) return last;
  try {
    return await call.host();
  } catch (error) {
    if (!isFault(error, "config_invalid") && !isFault(error, "file_refused")) throw error;
    call.output.note(
      `holdfast: the supervisor starts with ${last === null ? "default settings" : "the settings it had before"}: ${errorText(error)}`,
    );
    return last ?? hostConfigSchema.parse({});
  }
}

const readIfThere = (file: string): string | undefined =>
  plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX });
