/** Whether the folder that a run works in was found missing, by what was said of it. */
export const isFolderGone = (text: string | undefined): boolean =>
  text !== undefined &&
  (text.includes(" cannot be used: ENOENT") ||
    (text.includes("the folder ") && text.includes(" does not exist on ")));
