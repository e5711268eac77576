import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errorText } from "../model/fault.ts";

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
  try {
    // Not waiting: a pipe of that name would keep us for ever.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return { name, problem: "cannot be read: it is no file" };
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(FILE_BYTES_MAX), 0, FILE_BYTES_MAX, 0);
      return { name, text: buffer.toString("utf8", 0, bytesRead), problem: "" };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { name, problem: `cannot be read: ${errorText(error)}` };
  }
}
