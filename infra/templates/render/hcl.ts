/** A line or a block of HCL. */
export type Hcl =
  | { readonly kind: 'attribute'; readonly name: string; readonly value: string }
  | { readonly kind: 'block'; readonly head: string; readonly body: readonly Hcl[] }
  | { readonly kind: 'comment'; readonly text: string };

/** `value` is an expression as it is written, such as `local.name` or `"text"`. */
export const attribute = (name: string, value: string | number | boolean): Hcl => ({
  kind: 'attribute',
  name,
  value: String(value),
});

export const block = (head: string, ...body: readonly Hcl[]): Hcl => ({ kind: 'block', head, body });

export const comment = (text: string): Hcl => ({ kind: 'comment', text });

/** Writes HCL as `terraform fmt` does: the values of attributes that follow each other stand in one column. */
export function hclText(blocks: readonly Hcl[]): string {
  return `${blocks.map((one) => lines([one]).join('\n')).join('\n\n')}\n`;
}

function lines(body: readonly Hcl[]): string[] {
  return body.flatMap((one, index) => {
    if (one.kind === 'comment') return [`# ${one.text}`];
    if (one.kind === 'attribute') return `${one.name.padEnd(column(body, index))} = ${one.value}`.split('\n');
    const before = body[index - 1];
    const gap = before === undefined || before.kind === 'comment' ? [] : [''];
    return [...gap, `${one.head} {`, ...lines(one.body).map((line) => (line === '' ? '' : `  ${line}`)), '}'];
  });
}

/** The longest name of the attributes around one, up to a comment, a block, or a value of several lines. */
function column(body: readonly Hcl[], index: number): number {
  const isInRow = (one: Hcl | undefined) => one?.kind === 'attribute' && !one.value.includes('\n');
  if (!isInRow(body[index])) return 0;
  let [first, last] = [index, index];
  while (isInRow(body[first - 1])) first--;
  while (isInRow(body[last + 1])) last++;
  return Math.max(...body.slice(first, last + 1).map((one) => (one.kind === 'attribute' ? one.name.length : 0)));
}
