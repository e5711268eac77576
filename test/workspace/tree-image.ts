import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** What a tree is, told independently of the product: per path its kind, permissions and bytes. */
export function treeImage(
  tree: string,
  leaveOut: (path: string) => boolean = () => false,
): Map<string, string> {
  const image = new Map<string, string>();
  const visit = (folder: Buffer, shown: string): void => {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      const at = shown === "" ? name.toString("latin1") : `${shown}/${name.toString("latin1")}`;
      if (at === ".git" || leaveOut(at)) continue;
      const file = Buffer.concat([folder, Buffer.from("/"), name]);
      image.set(at, describe(file));
      if (lstatSync(file).isDirectory()) visit(file, at);
    }
  };
  image.set("", describe(Buffer.from(tree)));
  visit(Buffer.from(tree), "");
  return image;
}

function describe(file: Buffer): string {
  const stat = lstatSync(file);
  const permissions = (stat.mode & 0o7777).toString(8);
  if (stat.isDirectory()) return `folder ${permissions}`;
  if (stat.isSymbolicLink()) return `link ${readlinkSync(file, { encoding: "latin1" })}`;
  return stat.isFile() ? `file ${permissions} ${digestOf(readFileSync(file))}` : "special";
}

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** The differences, for messages; empty where both are equal. */
export function imageDifferences(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((one) => before.get(one) !== after.get(one))
    .map((one) => `${JSON.stringify(one)}: ${before.get(one) ?? "-"} → ${after.get(one) ?? "-"}`)
    .slice(0, 20);
}

/** What a user's repository holds that looking must not change. */
export function repositoryImage(tree: string): Map<string, string> {
  const folder = path.join(tree, ".git");
  return treeImage(folder);
}
