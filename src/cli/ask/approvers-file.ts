import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { approverKeySchema, type ApproverKey } from "../../model/requests/principal.ts";
import type { Surroundings } from "../shell/surroundings.ts";

/** Beside the user's own configuration: approvers are people, and no part of a store or a repository. */
export function approversFile({ env, cwd, home }: Surroundings): string {
  const own = env["HOLDFAST_HOME"];
  if (own !== undefined && own !== "") return path.resolve(cwd, own, "approvers.json");
  const xdg = env["XDG_CONFIG_HOME"];
  const folder = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".config");
  return path.join(folder, "holdfast", "approvers.json");
}

/** Those who may prove that they approve, by name. A file that cannot be read is nobody's word, and is refused. */
export function readApprovers(surroundings: Surroundings): ApproverKey[] {
  const file = approversFile(surroundings);
  const text = plainText(file, { bytesMax: RECORD_BYTES_MAX, links: "follow" });
  if (text === undefined) return [];
  try {
    const { approvers } = JSON.parse(text) as { readonly approvers?: unknown };
    return approverKeySchema.array().max(100).parse(approvers);
  } catch (error) {
    throw new Fault(
      "config_invalid",
      `${file} cannot be read: ${errorText(error).slice(0, 300)}; remove it, and add its people again with \`holdfast approver add NAME\``,
      { cause: error, details: { file } },
    );
  }
}

/** Whole or not at all. */
export function writeApprovers(surroundings: Surroundings, approvers: readonly ApproverKey[]): string {
  const file = approversFile(surroundings);
  replaceFile(file, `${JSON.stringify({ approvers }, null, 2)}\n`);
  return file;
}
