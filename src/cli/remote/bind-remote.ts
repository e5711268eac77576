import type { Command } from "commander";
import { LOCAL_COMMANDS } from "../../api/client/local-commands.ts";
import { Fault } from "../../model/fault.ts";
import type { Output } from "../print/output.ts";
import type { GlobalOptions, Invocation } from "../shell/invocation.ts";
import type { Surroundings } from "../shell/surroundings.ts";
import type { Called, CalledOptions } from "./called.ts";
import { chooseServer } from "./choose-server.ts";

/** One call of a command that was parsed, and a server that is to perform it. */
export interface RemoteCall {
  readonly command: Command;
  readonly wanted: string;
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly surroundings: Surroundings;
  /** Performs it here, for what needs no store: exported files and traces. */
  readonly here: () => { readonly call: Invocation; readonly work: () => Promise<number> };
}

/** Takes a file of this machine as well as a run; what it makes of a file needs no store. */
const TAKES_FILES: readonly string[] = ["verify", "replay", "report", "why", "diff"];

export async function performRemotely(remote: RemoteCall): Promise<number> {
  const { command, wanted, options, output, surroundings, here } = remote;
  const name = wordsOf(command);
  const local = LOCAL_COMMANDS[name];
  if (local !== undefined)
    throw new Fault(
      "usage",
      `${name} works on the machine itself and not through a server (${local}); call it there, without --server and HOLDFAST_SERVER`,
      { details: { command: name, why: local } },
    );
  if (name === "assess" || (TAKES_FILES.includes(name) && (await namesFile(remote)))) return here().work();
  const [{ REMOTE_WORK }, { Remote }] = await Promise.all([
    import("./remote-plans.ts"),
    import("./remote.ts"),
  ]);
  const work = REMOTE_WORK[name];
  if (work === undefined)
    throw new Fault(
      "usage",
      `${name} takes over the terminal that it is called in and works on the machine itself; through a server the dashboard does the same: holdfast dashboard --server ${wanted}`,
      { details: { command: name } },
    );
  const server = new Remote(chooseServer(wanted, options, surroundings), output, surroundings);
  const { called, refuseRest } = calledAs(command);
  const begun = work(called, server);
  refuseRest();
  const planned = typeof begun === "function" ? await begun() : begun;
  return typeof planned === "number" ? planned : server.show(planned);
}

/** `proposal show`, as it is called. */
function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let at = command; at.parent !== null; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

async function namesFile({ command, here }: RemoteCall): Promise<boolean> {
  const { isFileWord } = await import("../run/run-source.ts");
  const { call } = here();
  return command.args.length > 0 && command.args.every((word) => isFileWord(call, word));
}

function calledAs(command: Command) {
  const given = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) !== "default",
  );
  const taken = new Set<string>();
  const options: CalledOptions = new Proxy(Object.fromEntries(given), {
    get(all: Record<string, unknown>, name) {
      taken.add(String(name));
      return all[String(name)];
    },
  });
  const args = command.processedArgs as (string | undefined | readonly string[])[];
  const last = args.at(-1);
  const rest = typeof last === "object" ? last : [];
  const called: Called = { args: args.filter((one) => typeof one !== "object"), rest, options };
  const refuseRest = (): void => {
    const left = given.map(([name]) => name).find((name) => !taken.has(name));
    if (left === undefined) return;
    const flags = command.options.find((option) => option.attributeName() === left)?.long ?? left;
    throw new Fault("usage", `${flags} works on the machine itself, not through a server; leave it out`, {
      details: { option: flags },
    });
  };
  return { called, refuseRest };
}
