import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import type { ApproverKey } from "../../../model/requests/principal.ts";
import { approversFile, readApprovers, writeApprovers } from "../../ask/approvers-file.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { secretReader, type SecretReader } from "../../ask/read-secret.ts";
import { personAsks } from "../../ask/who-asks.ts";

const STDIN = "read passphrases from standard input, one per line";
const PASSPHRASE_CHARS_MIN = 12;

/** The command by which people get a passphrase that opens gates. */
export function addApprover(parent: Command, bind: Bind): void {
  const approver = parent
    .command("approver")
    .summary("people whose passphrase opens gates")
    .description(
      "Keeps the people who prove with a passphrase that they approve. Only a public key is kept; it is written into the first event of every run that has a gate for them, and only that one counts for the run.",
    );
  const add = approver
    .command("add")
    .summary("set somebody's passphrase")
    .description("Sets somebody's passphrase. To change one, the current one is asked for first.")
    .argument("<NAME>", "as `approvers` of gates name them, such as your user name")
    .option("--proof-stdin", STDIN)
    .action(bind(addOne));
  const list = approver
    .command("list")
    .summary("show who has a passphrase")
    .description("Shows who has a passphrase, and the key that runs are given.")
    .action(bind(listAll));
  const remove = approver
    .command("remove")
    .summary("forget somebody's passphrase")
    .description("Forgets somebody's passphrase. Runs that were started before still know it.")
    .argument("<NAME>", "as `approver list` shows it")
    .action(bind(removeOne));
  add.addHelpText(
    "after",
    examples(
      ["approver add anna", "asks for the passphrase twice"],
      ["approver add anna --proof-stdin < secret", "from a file that only you can read"],
    ),
  );
  list.addHelpText(
    "after",
    examples(["approver list", "names and keys"], ["approver list --json", "for programs"]),
  );
  remove.addHelpText(
    "after",
    examples(
      ["approver remove anna", "new runs do not know the passphrase"],
      ["approver remove anna --json", "for programs"],
    ),
  );
  approver.addHelpText(
    "after",
    examples(
      ["approver add anna", "anna's passphrase opens credentialed gates"],
      ["approver list", "who has one"],
    ),
  );
}

async function addOne(
  call: Invocation,
  name: string,
  { proofStdin = false }: { readonly proofStdin?: boolean },
): Promise<number> {
  await personAsks(call, "set a passphrase that opens gates");
  const known = readApprovers(call.surroundings);
  const before = known.find((one) => one.name === name);
  const reader = secretReader(proofStdin);
  if (reader === null)
    throw new Fault(
      "usage",
      "there is no terminal to type a passphrase in; pipe it: holdfast approver add NAME --proof-stdin",
    );
  try {
    const made = await newKey(name, before, { reader, isTyped: !proofStdin });
    const file = writeApprovers(call.surroundings, [...known.filter((one) => one.name !== name), made]);
    call.output.document({ approver: name, key: made.key, file });
    call.output.line(
      `${name}: the passphrase is set (key ${made.key.slice(0, 12)}); runs started from now on know it`,
    );
    return EXIT.done;
  } finally {
    reader.close();
  }
}

async function newKey(
  name: string,
  before: ApproverKey | undefined,
  { reader, isTyped }: { readonly reader: SecretReader; readonly isTyped: boolean },
): Promise<ApproverKey> {
  const { proofs } = await import("../../../main.ts");
  if (before !== undefined && proofs.signerOf([before], await reader.next("Current passphrase")) === null)
    throw new Fault("refused", `this is not the current passphrase of ${name}; nothing was changed`);
  const secret = await reader.next("New passphrase");
  if (secret.length < PASSPHRASE_CHARS_MIN)
    throw new Fault("usage", `the passphrase has ${String(secret.length)} characters; expected at least 12`);
  if (isTyped && (await reader.next("The same again")) !== secret)
    throw new Fault("usage", "the two passphrases differ; nothing was changed");
  return proofs.approverKey(name, "passphrase", secret);
}

function listAll(call: Invocation): Promise<number> {
  const known = readApprovers(call.surroundings);
  const file = approversFile(call.surroundings);
  call.output.document({ approvers: known.map(({ name, key }) => ({ name, key })), file });
  for (const { name, key } of known) call.output.line(`${name} · key ${key.slice(0, 12)}`);
  if (known.length === 0)
    call.output.line("nobody has a passphrase; set one with: holdfast approver add NAME");
  return Promise.resolve(EXIT.done);
}

async function removeOne(call: Invocation, name: string): Promise<number> {
  await personAsks(call, "remove a passphrase that opens gates");
  const known = readApprovers(call.surroundings);
  const rest = known.filter((one) => one.name !== name);
  if (rest.length === known.length)
    throw new Fault(
      "not_found",
      `"${name}" has no passphrase; known: ${known.map((one) => one.name).join(", ") || "nobody"}`,
    );
  writeApprovers(call.surroundings, rest);
  call.output.document({ removed: name });
  call.output.line(`${name}: forgotten; runs that were started before still know the passphrase`);
  return EXIT.done;
}
