import path from "node:path";
import { withheldNames } from "../../model/effects/command-environment.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { HostSettings } from "../../model/settings/settings.ts";
import { findHostConfig } from "../config/find-config.ts";
import { loadConfig } from "../config/load-config.ts";
import { originsOf } from "../config/config-origins.ts";
import { EXIT } from "../shell/exit-codes.ts";
import type { Invocation } from "../shell/invocation.ts";
import { obeyedByAll } from "../trust/obeyed-here.ts";
import { tableLines } from "./table.ts";
import { readTrust, untrustedOf } from "../trust/trust-record.ts";

/** Where the configuration of a folder comes from, what of it is not obeyed, and what is not trusted. */
export async function showConfig(call: Invocation, withOrigins = false): Promise<number> {
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
  const withheld = withheldNames(surroundings.env, settings.env);
  const origins = withOrigins ? originsOf(call, config, file) : [];
  output.document({
    repository: { file, ignored },
    host: { ...host, settings },
    trust: { root: tree.root, untrusted },
    environment: { ...settings.env, withheld },
    ...(withOrigins ? { origins } : {}),
  });
  output.line(`repository  ${file ?? "no holdfast.yaml here; defaults are used"}`);
  for (const text of ignored) output.line(`  ignored   ${text}`);
  output.line(`this host   ${host.file}${host.exists ? "" : " (there is none; defaults are used)"}`);
  const isTrusted = untrusted.length === 0;
  output.line(
    `trust       ${isTrusted ? "nothing here waits for it" : `not trusted: ${untrusted.join(", ")}; see ${call.command("trust")}`}`,
  );
  for (const line of environmentLines(settings.env, withheld)) output.line(line);
  const rows = origins.map((one) => [
    one.key,
    printableLine(JSON.stringify(one.value), 80),
    one.file ?? "default",
  ]);
  for (const line of tableLines(rows)) output.line(line);
  return EXIT.done;
}

/** What programs that Holdfast starts from here would get of this environment: names alone. */
function environmentLines({ inherit, pass }: HostSettings["env"], withheld: readonly string[]): string[] {
  const passed = pass.length === 0 ? "" : `, and ${pass.join(", ")}`;
  const all = "all but Holdfast's own; checks and hooks get no secrets";
  const listed = `what programs commonly need${passed}; agents also get their own keys`;
  return [
    `environment ${inherit === "all" ? all : listed} (env.inherit, env.pass)`,
    ...(withheld.length === 0
      ? []
      : [`  withheld  from checks and hooks: ${printableLine(withheld.join(", "), 2_000)}`]),
  ];
}
