/**
 * The files of the dashboard as the server answers with them.
 *
 * 1. The folder is read once, when a page is first asked for, and never by a name that a request holds: a request
 *    looks up a name among those that were found. Where the folder is missing it is looked for at each request.
 * 2. Only regular files directly in the folder are served; links, folders and hidden files are not.
 * 3. The name of an asset says what is in it, so that a browser may keep it for ever. The page is never kept.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";

export interface WebFiles {
  /** Null where the dashboard was not built. */
  look(): WebContents | null;
}

export interface WebContents {
  readonly page: string;
  readonly assets: ReadonlyMap<string, WebAsset>;
}

export interface WebAsset {
  readonly type: string;
  readonly plain: Buffer;
  /** The same, made smaller when the package was built; by the name of its encoding. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** In the order of preference. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof ENCODINGS;
const encodings = Object.keys(ENCODINGS) as Encoding[];

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};
const PAGE = "index.html";
const FILE_BYTES_MAX = 16 * 1024 * 1024;

export function webFiles(folder: string): WebFiles {
  let read: WebContents | null = null;
  return { look: () => (read ??= readFolder(folder)) };
}

function readFolder(folder: string): WebContents | null {
  const files = new Map<string, Buffer>();
  for (const name of namesIn(folder)) {
    const got = readPlain(path.join(folder, name), { bytesMax: FILE_BYTES_MAX });
    if (got.kind === "read") files.set(name, got.bytes);
  }
  const page = files.get(PAGE);
  if (page === undefined) return null;
  const assets = new Map<string, WebAsset>();
  for (const [name, plain] of files) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const encoded = encodings.flatMap((encoding) => {
      const bytes = files.get(name + ENCODINGS[encoding]);
      return bytes === undefined ? [] : [[encoding, bytes] as const];
    });
    assets.set(name, { type, plain, encoded: new Map(encoded) });
  }
  return { page: page.toString("utf8"), assets };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => name);
  } catch {
    // Not built, or not readable: the page that is shown instead says what to do.
    return [];
  }
}

/** What a browser that accepts these encodings is sent; an encoding with weight 0 is one that it refuses. */
export function encodingFor({ encoded }: WebAsset, accepted: string | undefined): Encoding | null {
  const offers = (accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const accepts = (encoding: Encoding): boolean =>
    offers.some(([name, weight]) => name === encoding && !/^q=0(\.0*)?$/.test(weight ?? ""));
  return encodings.find((encoding) => encoded.has(encoding) && accepts(encoding)) ?? null;
}
