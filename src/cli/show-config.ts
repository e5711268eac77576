import path from "node:path";
import { findHostConfig } from "./config/find-config.ts";
import { loadConfig } from "./config/load-config.ts";
import { EXIT } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";

/** Where the configuration of a folder comes from, and what of it is not obeyed. */
export async function showConfig(call: Invocation): Promise<number> {
  const { hostFolder, surroundings, output } = call;
  const warnings: string[] = [];
  const { file } = await loadConfig({
    cwd: surroundings.cwd,
    hostFolder,
    warn: (text) => warnings.push(text),
  });
  const own = findHostConfig(hostFolder);
  const host = { file: own ?? path.join(hostFolder, "holdfast.yaml"), exists: own !== null };
  output.document({
    repository: { file, ignored: warnings },
    host: { ...host, settings: await call.host() },
  });
  output.line(`repository  ${file ?? "no holdfast.yaml here; defaults are used"}`);
  for (const warning of warnings) output.line(`  ignored   ${warning}`);
  output.line(`this host   ${host.file}${host.exists ? "" : " (there is none; defaults are used)"}`);
  return EXIT.done;
}
