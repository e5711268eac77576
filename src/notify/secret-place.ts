import { readPlainAt } from "../files/plain-file.ts";

const FILE_BYTES_MAX = 8_192;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a secret is kept, and what was found there; what is wrong is told without telling the secret. */
export interface SecretPlace {
  readonly name: string;
  readonly text?: string | undefined;
  readonly problem: string;
}

export const secretInEnv = (name: string, env: Environment): SecretPlace => ({
  name: `the environment variable ${name}`,
  text: env[name],
  problem: "is not set",
});

export async function secretInFile(file: string): Promise<SecretPlace> {
  const name = `the file ${file}`;
  // Secrets are often mounted as links.
  const read = readPlainAt(file, { from: 0, bytesMax: FILE_BYTES_MAX, links: "follow" });
  if (read.kind === "read") return { name, text: read.bytes.toString("utf8"), problem: "" };
  return {
    name,
    problem: read.kind === "absent" ? "cannot be read: ENOENT: there is no such file" : read.problem,
  };
}
