type Value = string | number;

/** A part of a statement: texts, and the values of parameters, each in an array of its own. */
export interface Part {
  readonly pieces: readonly (string | readonly [Value])[];
}

/**
 * Writes a part of a statement. A string becomes text of the statement, so it must be our own; a value in brackets
 * becomes a parameter. Each parameter stands once, for clients that count.
 */
export function sql(texts: TemplateStringsArray, ...inserted: readonly (string | readonly [Value] | Part)[]): Part {
  return {
    pieces: texts.flatMap((text, index) => {
      const one = inserted[index] ?? '';
      return typeof one === 'object' && 'pieces' in one ? [text, ...one.pieces] : [text, one];
    }),
  };
}

/** A statement as clients take it: its text, and the values of its parameters in their order. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Writes a statement. @param parameter the first parameter of a statement, as the database has it */
export function statementOf({ pieces }: Part, parameter: '?' | '$1'): Statement {
  const values: Value[] = [];
  const texts = pieces.map((piece) =>
    typeof piece === 'string' ? piece : parameter.replace('1', String(values.push(piece[0]))),
  );
  return { text: texts.join(''), values };
}
