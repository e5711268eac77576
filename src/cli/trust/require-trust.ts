import { createInterface } from "node:readline/promises";
import { Fault } from "../../model/fault.ts";
import type { Obeyed } from "../../model/flow/obeyed.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { Invocation } from "../shell/invocation.ts";
import { agentThatCalls } from "../ask/who-asks.ts";
import { textDiff } from "../print/diff/text-diff.ts";
import type { Obeying } from "./obeyed-here.ts";
import { grantTrust, readTrust, untrustedOf, type Untrusted } from "./trust-record.ts";

/** How the operator stands to what a repository names. */
export interface TrustWish {
  /** Of `--trust`. */
  readonly trust?: boolean | undefined;
  /** Words of `holdfast trust` that cover what is asked about, beside `--yes`. */
  readonly words?: readonly string[];
}

const LINES_OF_ONE_MAX = 12;
const SHOWN_MAX = 40;

/**
 * Lets a command go on only if everything it would have obeyed is trusted. On a terminal the operator is shown it and
 * asked; `--trust`, and `HOLDFAST_TRUST=1` in the environment, grant it; a script is shown the command.
 */
export async function requireTrust(
  call: Invocation,
  { tree, obeyed }: Pick<Obeying, "tree" | "obeyed">,
  wish: TrustWish,
): Promise<void> {
  const left = untrustedOf(readTrust(call.stateFolder, tree.root), obeyed);
  if (left.length === 0) return;
  if (!isGranted(call, wish)) {
    if (!canAsk(call)) throw untrustedFault(call, tree.root, left, wish);
    for (const line of untrustedLines(left)) call.output.note(line);
    if (!(await saysYes(`Trust this in ${tree.root}? [y/N] `)))
      throw untrustedFault(call, tree.root, left, wish);
  }
  await grantByPerson(call, tree.root, obeyed);
}

const isGranted = ({ surroundings: { env } }: Invocation, { trust }: TrustWish): boolean =>
  trust === true || env["HOLDFAST_TRUST"] === "1";

/** Whether a person is there to be asked. */
export const canAsk = ({ output, serving }: Invocation): boolean =>
  serving === null && !output.json && process.stdin.isTTY && process.stderr.isTTY;

export async function saysYes(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(question)).trim());
  } catch {
    // The terminal was closed, or Ctrl-C was pressed: that is no approval.
    return false;
  } finally {
    asking.close();
  }
}

/** Records what was shown as trusted. An agent at work must not decide what is obeyed, and is refused. */
export async function grantByPerson(
  call: Invocation,
  root: string,
  obeyed: readonly Obeyed[],
): Promise<void> {
  const agent = await agentThatCalls(call);
  if (agent !== null)
    throw new Fault(
      "refused",
      `trust is a person's to grant, and this is an agent (${agent}); ask a person to run holdfast trust`,
    );
  const { worldHere } = await import("../../main.ts");
  grantTrust(call.stateFolder, root, obeyed, worldHere());
}

function untrustedFault(
  call: Invocation,
  root: string,
  left: readonly Untrusted[],
  { words = [] }: TrustWish,
): Fault {
  const command = call.command("trust", ...words, "--yes");
  const changed = left.filter(({ before }) => before !== null).length;
  const what =
    changed === 0 ? "not trusted" : `not trusted (${String(changed)} changed since you trusted it)`;
  const named = left.map(({ obeyed: { key } }) => printableLine(key, 200));
  return new Fault(
    "untrusted",
    `${root} names ${String(left.length)} ${left.length === 1 ? "thing that is" : "things that are"} ${what}: ${named.slice(0, 5).join(", ")}${named.length > 5 ? ", …" : ""}; nothing was started. See them with ${call.command("trust", ...words, "--show-diff", "--dry-run")}, trust them with ${command}, or add --trust`,
    { retry: "after-human", details: { root, command, untrusted: named } },
  );
}

/** What would be obeyed, and how it differs from what was trusted. */
export function untrustedLines(left: readonly Untrusted[]): string[] {
  const lines = left
    .slice(0, SHOWN_MAX)
    .flatMap(({ obeyed, before }) => [
      `${before === null ? "new    " : "changed"}  ${obeyed.what}  ${printableLine(obeyed.key, 300)}`,
      ...contentLines(obeyed, before),
    ]);
  const more = left.length - SHOWN_MAX;
  return more > 0 ? [...lines, `… and ${String(more)} more`] : lines;
}

function contentLines(obeyed: Obeyed, before: Untrusted["before"]): string[] {
  const now = shown(obeyed, obeyed.text);
  const known = before?.text;
  const lines = known === undefined || known === null ? now.split("\n") : textDiff(shown(obeyed, known), now);
  const cut = lines.length - LINES_OF_ONE_MAX;
  return [
    ...lines.slice(0, LINES_OF_ONE_MAX).map((line) => `    ${printableLine(line, 300)}`),
    ...(cut > 0 ? [`    … ${String(cut)} more lines`] : []),
  ];
}

/** Bytes of files are kept one by one; people are shown them as text. */
const shown = ({ what }: Obeyed, text: string): string =>
  what === "file" ? Buffer.from(text, "latin1").toString("utf8") : text;
