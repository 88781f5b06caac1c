/** What a line says apart from its figures, to tell whether it is the same again. Names keep their numbers; amounts, shares and times do not. */
export const gistOf = (line: string): string =>
  line.replaceAll(/, about [^,;]+ left/g, '').replaceAll(/(?<![\w-])\d+(\.\d+)?( %| [KMGT]iB| (s|min|h)\b)?/g, '#');
