import type { SealAct } from "../../model/requests/seal.ts";

const ACTS_SAID_MAX = 5;

/** What an agent did to the real repository, and where that is kept. */
export function breachText(agent: string, acts: readonly SealAct[]): string {
  const proved = acts.filter((act) => act.proved);
  const said = proved.slice(0, ACTS_SAID_MAX).map(({ what, undone, kept }) => {
    const where = kept === null ? "" : `, kept as ${kept}`;
    return `${what} (${undone ? "put back" : "NOT put back: it has changed since"}${where})`;
  });
  const more = proved.length > said.length ? ` and ${String(proved.length - said.length)} more` : "";
  return `${agent} may not write to the repository and has changed ${said.join(", ")}${more}; its work does not count`;
}
