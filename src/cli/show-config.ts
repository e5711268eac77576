import path from "node:path";
import { printableLine } from "../model/printable.ts";
import { findHostConfig } from "./config/find-config.ts";
import { loadConfig } from "./config/load-config.ts";
import { EXIT } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { obeyedByAll } from "./trust/obeyed-here.ts";
import { readTrust, untrustedOf } from "./trust/trust-record.ts";

/** Where the configuration of a folder comes from, what of it is not obeyed, and what is not trusted. */
export async function showConfig(call: Invocation): Promise<number> {
  const { hostFolder, surroundings, output, stateFolder } = call;
  const { cwd } = surroundings;
  const ignored: string[] = [];
  const { file, config } = await loadConfig({ cwd, hostFolder, warn: (text) => ignored.push(text) });
  const own = findHostConfig(hostFolder);
  const host = { file: own ?? path.join(hostFolder, "holdfast.yaml"), exists: own !== null };
  const { tree, obeyed } = obeyedByAll(cwd, config, { flows: [], isConfigOwn: false });
  const untrusted = untrustedOf(readTrust(stateFolder, tree.root), obeyed).map(({ obeyed: { key } }) =>
    printableLine(key, 400),
  );
  const settings = await call.host();
  output.document({
    repository: { file, ignored },
    host: { ...host, settings },
    trust: { root: tree.root, untrusted },
  });
  output.line(`repository  ${file ?? "no holdfast.yaml here; defaults are used"}`);
  for (const text of ignored) output.line(`  ignored   ${text}`);
  output.line(`this host   ${host.file}${host.exists ? "" : " (there is none; defaults are used)"}`);
  const isTrusted = untrusted.length === 0;
  output.line(
    `trust       ${isTrusted ? "nothing here waits for it" : `not trusted: ${untrusted.join(", ")}; see ${call.command("trust")}`}`,
  );
  return EXIT.done;
}
