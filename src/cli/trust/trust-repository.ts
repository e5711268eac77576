import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { printableLine } from "../../model/text/printable.ts";
import { isCode } from "../config/find-config.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { obeyedByAll } from "./obeyed-here.ts";
import { canAsk, grantByPerson, saysYes, untrustedLines } from "./require-trust.ts";
import { readTrust, untrustedOf, type Untrusted } from "./trust-record.ts";

export interface RepositoryOptions {
  readonly showDiff?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly flow?: string;
}

/**
 * Trusts the repository of this folder: shows first what its files would have obeyed, and asks. What is shown is what is
 * trusted: it is read once, and a file that changes meanwhile is found by the next command.
 */
export async function trustRepository(call: Invocation, options: RepositoryOptions): Promise<number> {
  const { cwd } = call.surroundings;
  const { config, file } = await call.loadedConfig();
  const flows = options.flow === undefined ? [] : [path.resolve(cwd, options.flow)];
  const found = obeyedByAll(cwd, config, { flows, isConfigOwn: file !== null && isCode(file) });
  const { root } = found.tree;
  const left = untrustedOf(readTrust(call.stateFolder, root), found.obeyed);
  for (const text of found.unread)
    call.output.note(`holdfast: cannot be read, so it is not trusted: ${text}`);
  printWhat(call, root, { left, all: found.obeyed.length });
  if (options.dryRun === true || left.length === 0) return printEnd(call, root, left, "shown");
  if (options.yes !== true) await askOrRefuse(call, root, options.flow);
  await grantByPerson(call, root, found.obeyed);
  return printEnd(call, root, left, "trusted");
}

function printWhat(
  { output }: Invocation,
  root: string,
  { left, all }: { readonly left: readonly Untrusted[]; readonly all: number },
): void {
  if (left.length === 0)
    output.line(all === 0 ? `${root} names nothing that would be run` : `${root} is trusted as it is`);
  else output.line(`${root} would have these obeyed:`);
  for (const line of untrustedLines(left)) output.line(line);
}

async function askOrRefuse(call: Invocation, root: string, flow: string | undefined): Promise<void> {
  const command = call.command("trust", ...(flow === undefined ? [] : ["--flow", flow]), "--yes");
  if (canAsk(call) && (await saysYes(`Trust this in ${root}? [y/N] `))) return;
  throw new Fault("untrusted", `${root} is not trusted; to trust what was shown: ${command}`, {
    retry: "after-human",
    details: { root, command },
  });
}

function printEnd(
  { output }: Invocation,
  root: string,
  left: readonly Untrusted[],
  outcome: "shown" | "trusted",
): number {
  output.document({
    root,
    outcome,
    obeyed: left.map(({ obeyed: { key, what }, before }) => ({
      key: printableLine(key, 400),
      what,
      state: before === null ? "new" : "changed",
    })),
  });
  if (outcome === "trusted") output.line(`trusted: ${String(left.length)} as shown`);
  return EXIT.done;
}
