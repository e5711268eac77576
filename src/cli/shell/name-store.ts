import { placeWords, shellWord } from "../../model/text/command-text.ts";

/** These read no store. */
const STORELESS = /--help|--store|--server|^holdfast (config|completion)\b/;

/**
 * Completes the commands that a message names between backticks: modules below know no store's address, and a command
 * that is pasted must find the store it speaks of.
 */
export const nameStore = (message: string, store: string | null): string =>
  store === null
    ? message
    : message.replaceAll(/`(holdfast [^`\n]*)`/g, (whole, command: string) =>
        STORELESS.test(command) ? whole : `\`${command} ${placeWords(store).map(shellWord).join(" ")}\``,
      );
