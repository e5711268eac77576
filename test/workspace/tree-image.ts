import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type BigIntStats } from "node:fs";
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
      const [what, isFolder] = describe(file);
      image.set(at, what);
      if (isFolder) visit(file, at);
    }
  };
  image.set("", describe(Buffer.from(tree))[0]);
  visit(Buffer.from(tree), "");
  return image;
}

function describe(file: Buffer): readonly [string, boolean] {
  const stat = lstatSync(file, { bigint: true });
  const permissions = (stat.mode & 0o7777n).toString(8);
  if (stat.isDirectory()) return [`folder ${permissions}`, true];
  if (stat.isSymbolicLink()) return [`link ${readlinkSync(file, { encoding: "latin1" })}`, false];
  return [stat.isFile() ? `file ${permissions} ${digestOf(file, stat)}` : "special", false];
}

const REMEMBERED_MAX = 100_000;
/** A file that was written a moment ago may be written again without another time. */
const MOMENT_NS = 50_000_000n;
const remembered = new Map<string, string>();

/** Of bytes that were read before and not written since, of which the system keeps the time, nothing is read again. */
function digestOf(file: Buffer, { dev, ino, ctimeNs, size }: BigIntStats): string {
  const key = [dev, ino, ctimeNs, size].map(String).join(" ");
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const isOld = BigInt(Date.now()) * 1_000_000n - ctimeNs > MOMENT_NS;
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
  if (remembered.size > REMEMBERED_MAX) remembered.clear();
  if (isOld) remembered.set(key, digest);
  return digest;
}

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
