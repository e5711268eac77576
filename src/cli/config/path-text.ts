/** A place in a file as people write it: `steps[0].agent`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? "the whole file"
    : path.reduce<string>(
        (text, part) =>
          typeof part === "number"
            ? `${text}[${String(part)}]`
            : `${text}${text === "" ? "" : "."}${String(part)}`,
        "",
      );
