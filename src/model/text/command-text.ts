/** A word that a POSIX shell reads back unchanged. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Where a command works: on a store by its address, or through the server of that address. */
export const placeWords = (named: string): readonly [option: string, address: string] => [
  /^https?:\/\//.test(named) ? "--server" : "--store",
  named,
];

/** A command to paste: quoted, and with the store, or its server, named where it is not the default one. */
export const commandText = (words: readonly string[], store: string | null): string =>
  ["holdfast", ...words, ...(store === null ? [] : placeWords(store))].map(shellWord).join(" ");

/** A command that was recorded without a store: one of ours, with its place named; any other stays as it is. */
export const placedCommand = (command: string, store: string | null): string =>
  store === null || !command.startsWith("holdfast ")
    ? command
    : [command, ...placeWords(store).map(shellWord)].join(" ");
