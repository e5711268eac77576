import { bytePath, bytesOf, joined, nameOf, type BytePath } from "../snapshot/byte-path.ts";
import { gitMode, isLink } from "../snapshot/read-entry.ts";

/**
 * What git's trees do not keep of a folder, kept beside them: its own permissions, that it is empty, and permissions
 * of its files other than 644 and 755. A folder with nothing of the kind has no record. The same folder always gives
 * the same record, so equal trees have equal digests.
 */
export interface FolderRecord {
  /** The folder's own permissions, where they are not 755. */
  readonly self?: number;
  readonly empty?: true;
  /** Of all its plain files, where they agree on something else than 644. */
  readonly plain?: number;
  /** Of all its programs, where they agree on something else than 755. */
  readonly program?: number;
  /** By name, where they do not agree. */
  readonly each?: Readonly<Record<string, number>>;
}

export const PLAIN = 0o644;
export const PROGRAM = 0o755;
const FOLDER_DEFAULT = 0o755;
const PERMISSIONS = 0o7777;

export const permissionsOf = (mode: number): number => mode & PERMISSIONS;

export const defaultMode = (mode: number): number => (gitMode(mode) === "100755" ? PROGRAM : PLAIN);

export const isOdd = (mode: number): boolean => !isLink(mode) && permissionsOf(mode) !== defaultMode(mode);

export interface FolderContent {
  readonly mode: number;
  readonly hasFolders: boolean;
  readonly files: readonly { readonly path: BytePath; readonly mode: number }[];
}

export function folderRecord({ mode, hasFolders, files }: FolderContent): FolderRecord | null {
  const regular = files.filter((file) => !isLink(file.mode));
  const plain = agreed(regular.filter((file) => defaultMode(file.mode) === PLAIN));
  const program = agreed(regular.filter((file) => defaultMode(file.mode) === PROGRAM));
  const each = regular
    .filter((file) => isOdd(file.mode) && (defaultMode(file.mode) === PLAIN ? plain : program) === null)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => [nameOf(file.path), permissionsOf(file.mode)] as const);
  const record: FolderRecord = {
    ...(permissionsOf(mode) === FOLDER_DEFAULT ? {} : { self: permissionsOf(mode) }),
    ...(files.length === 0 && !hasFolders ? { empty: true as const } : {}),
    ...(plain === null || plain === PLAIN ? {} : { plain }),
    ...(program === null || program === PROGRAM ? {} : { program }),
    ...(each.length === 0 ? {} : { each: Object.fromEntries(each) }),
  };
  return Object.keys(record).length === 0 ? null : record;
}

function agreed(files: readonly { readonly mode: number }[]): number | null {
  const [first] = files;
  if (first === undefined || files.some((file) => permissionsOf(file.mode) !== permissionsOf(first.mode)))
    return null;
  return permissionsOf(first.mode);
}

/** Permissions of a file, given by git's mode and the record of its folder. */
export function recordedPermissions(
  record: FolderRecord | undefined,
  path: BytePath,
  fallback: number,
): number {
  const each = record?.each;
  const own = each !== undefined && Object.hasOwn(each, nameOf(path)) ? each[nameOf(path)] : undefined;
  return own ?? (fallback === PROGRAM ? record?.program : record?.plain) ?? fallback;
}

export const folderPermissions = (record: FolderRecord | undefined): number => record?.self ?? FOLDER_DEFAULT;

/** Records stand in a tree of their own, each folder under a name that git takes for nothing special. */
export const recordPath = (folder: BytePath): BytePath =>
  joined(["folders", ...(folder === "" ? [] : folder.split("/")).map((name) => `d${name}`)].join("/"), "r");

export function folderOfRecord(path: BytePath): BytePath {
  const names = path.split("/").slice(0, -1);
  return names.map((name) => name.slice(1)).join("/");
}

/** What git refuses in its trees stands apart, with every name changed. */
export const storedPath = (path: BytePath, apart: boolean): BytePath =>
  apart
    ? `apart/${path
        .split("/")
        .map((name) => `_${name}`)
        .join("/")}`
    : `files/${path}`;

export const pathOfApart = (stored: BytePath): BytePath =>
  stored
    .split("/")
    .map((name) => name.slice(1))
    .join("/");

export const recordBytes = (record: FolderRecord): Buffer => bytesOf(asciiJson(record));

/** Names are byte strings, so every character fits one byte; JSON of them is bytes again. */
const asciiJson = (value: unknown): string => JSON.stringify(value);

export const parseRecord = (bytes: Uint8Array): FolderRecord => JSON.parse(bytePath(bytes)) as FolderRecord;
