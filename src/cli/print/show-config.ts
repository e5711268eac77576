import path from "node:path";
import { findHostConfig } from "../config/find-config.ts";
import { loadConfig } from "../config/load-config.ts";
import { readDocument } from "../config/read-document.ts";
import { tableLines } from "./table.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { obeyedByAll } from "../trust/obeyed-here.ts";
import { readTrust, untrustedOf } from "../trust/trust-record.ts";
import { withheldNames } from "../../model/effects/command-environment.ts";
import type { HostSettings } from "../../model/settings/settings.ts";
import { printableLine } from "../../model/text/printable.ts";

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

interface Origin {
  readonly key: string;
  readonly value: unknown;
  /** The file that sets it; null for a default. */
  readonly file: string | null;
}

/** Every setting that holds in a folder, with the file that it comes from. */
function originsOf(call: Invocation, config: object, repository: string | null): Origin[] {
  const host = findHostConfig(call.hostFolder);
  const files = [host, repository].filter((file) => file !== null && !/\.[cm]?[jt]s$/u.test(file));
  const written = files.map((file) => [file, leavesOf(valueOf(file ?? ""))] as const);
  return Object.entries(leavesOf(config)).map(([key, value]) => ({
    key,
    value,
    file: written.find(([, leaves]) => Object.keys(leaves).some((one) => isPart(one, key)))?.[0] ?? null,
  }));
}

const valueOf = (file: string): unknown => readDocument(file, "the configuration").value;

const isPart = (one: string, key: string): boolean =>
  one === key || one.startsWith(`${key}.`) || key.startsWith(`${one}.`);

/** Values by their path, such as `attempts.perStep`; lists are values. */
function leavesOf(value: unknown, prefix = ""): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { [prefix]: value };
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  if (parts.length === 0) return prefix === "" ? {} : { [prefix]: {} };
  return Object.assign(
    {},
    ...parts.map(([key, part]) => leavesOf(part, prefix === "" ? key : `${prefix}.${key}`)),
  ) as Record<string, unknown>;
}
