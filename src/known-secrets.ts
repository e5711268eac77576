import path from "node:path";
import { plainTextIfAny } from "./files/plain-file.ts";
import { secretsIn, type KnownSecret } from "./model/text/redact.ts";
import { secretsInFile } from "./model/settings/secret-file.ts";
import type { HostSettings } from "./model/settings/settings.ts";
import { homePath } from "./files/user-home.ts";

const FILE_BYTES_MAX = 256 * 1024;

/** The secrets that this process knows by their values: of its environment, and of the files that its host names. */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  { names, files }: HostSettings["secrets"],
): readonly KnownSecret[] {
  const home = homePath(env);
  const ofFiles = files.flatMap((file) => {
    const found = plainTextIfAny(file.replace(/^~(?=\/)/, home), {
      bytesMax: FILE_BYTES_MAX,
      links: "follow",
    });
    return found === undefined ? [] : secretsInFile(path.basename(file), found);
  });
  return [...secretsIn(env, names), ...ofFiles];
}
